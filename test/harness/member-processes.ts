// The processes of members on this machine, where the nodes are: to stop them, to end them, and to have a primary write alone.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { eventually, minutes } from "./eventually";
import type { Kubectl } from "./kubectl";
import { processesOf } from "./operator-pods";
import { sendSignal } from "./signal";

const Pod = z.object({ metadata: z.object({ uid: z.string() }) });

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  assert.ok(pids.length > 0, `no process to send ${name} to`);
  for (const pid of pids) sendSignal(pid, name);
}

export class MemberProcesses {
  readonly #kubectl: Kubectl;
  readonly #namespace: string;

  constructor(kubectl: Kubectl, namespace: string) {
    this.#kubectl = kubectl;
    this.#namespace = namespace;
  }

  /** All of a member. */
  async of(pod: string): Promise<number[]> {
    const { uid } = Pod.parse(await this.#kubectl.find("pod", pod, this.#namespace)).metadata;
    return processesOf({ uid });
  }

  /** Those of them whose command line looks so. */
  async named(pod: string, command: RegExp): Promise<number[]> {
    const pids = await this.of(pod);
    const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
    return pids.filter((_, index) => command.test(lines[index] ?? ""));
  }

  /**
   * Has a primary of PostgreSQL do something that stays with it alone, and then freeze until `successor` finds another one; that one. What of it is
   * started again meanwhile continues then; the rest must be sent SIGCONT.
   */
  async outrun(primary: string, alone: () => Promise<unknown>, successor: () => Promise<string>): Promise<string> {
    signal(await this.named(primary, /^postgres: .*walsender/), "SIGSTOP");
    await alone();
    const frozen = await this.of(primary);
    signal(frozen, "SIGSTOP");
    // started again before the others have elected one, it would find its lease valid, and lead on
    const restarted = new Set<number>();
    const found = await eventually(async () => {
      for (const pid of await this.of(primary)) if (!frozen.includes(pid)) restarted.add(pid);
      for (const pid of restarted) sendSignal(pid, "SIGSTOP");
      return successor();
    }, minutes(1));
    for (const pid of restarted) sendSignal(pid, "SIGCONT");
    return found;
  }
}
