// Distinguishes one process from a later one with the same number, so that a stranger is never taken for ours.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { z } from "zod";

/** A process, for as long as it lives: its number, and when it started in the system's own words. */
export const ProcessIdentity = z.object({ pid: z.int().positive(), started: z.string() });
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** The identity of a living process, or undefined when no process (or only a zombie) has that number. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = process.platform === "linux" ? startedOnLinux(pid) : startedElsewhere(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Answers whether exactly that process still lives. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.started === identity.started;
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  const identity = identityOf(process.pid);
  if (!identity) throw new Error(`cannot read when process ${process.pid} started`);
  return identity;
}

function startedOnLinux(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // the command in parentheses may itself hold spaces and parentheses
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const [state, ticks] = [fields[0], fields[19]];
    return state === "Z" || state === "X" || ticks === undefined ? undefined : `${boot}/${ticks}`;
  } catch {
    return undefined;
  }
}

function startedElsewhere(pid: number): string | undefined {
  try {
    const text = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return text === "" || text.startsWith("Z") ? undefined : text.replace(/^\S+\s+/, "");
  } catch {
    return undefined;
  }
}
