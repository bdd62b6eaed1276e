// A terminal for the plugin: what it printed, on both streams, and how it ended.
import type { Cluster, KubectlEnd, Reach, World } from "../../../plugin/command/world";
import { runCommand } from "../../../plugin/run";

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Both as a terminal shows them, with what was answered. */
  readonly screen: string;
}

export interface Given {
  readonly cluster?: Cluster;
  readonly files?: Readonly<Record<string, string>>;
  readonly kubectl?: (args: readonly string[], input: string) => KubectlEnd;
  readonly isTerminal?: boolean;
  /** What a person answers; where it is missing, there is none. */
  readonly answer?: string;
  readonly environment?: World["environment"];
  readonly stopped?: AbortSignal;
  /** Hears how the cluster is reached, each time. */
  readonly opened?: (reach: Reach) => void;
  /** Hears what is printed, of what does not end by itself. */
  readonly onOut?: (text: string) => void;
}

/** The time on its clock. */
export const now = new Date("2026-11-27T15:00:00Z");

/** Runs one command line, such as `status orders`. */
export async function runPlugin(line: string | readonly string[], given: Given = {}): Promise<Ended> {
  const printed = { out: "", err: "", screen: "" };
  const prints = (stream: "out" | "err") => (text: string) => {
    printed[stream] += text;
    printed.screen += text;
  };
  const { cluster, files = {}, isTerminal = false, environment = {} } = given;
  const stopped = given.stopped ?? new AbortController().signal;
  const world: World = {
    ...{ isTerminal, environment, stopped, now: () => now },
    isInteractive: given.answer !== undefined,
    ask: (question) => {
      prints("err")(question);
      printed.screen += `${given.answer ?? ""}\n`;
      return Promise.resolve(given.answer ?? "");
    },
    out: (text) => {
      prints("out")(text);
      given.onOut?.(text);
    },
    err: prints("err"),
    open: (reach) => {
      given.opened?.(reach);
      return cluster === undefined ? Promise.reject(new Error("there is no cluster")) : Promise.resolve(cluster);
    },
    contexts: () => Promise.resolve(["home", "work"]),
    read: (file) => Promise.resolve(files[file] ?? ""),
    kubectl: (args, input) => Promise.resolve((given.kubectl ?? missing)(args, input)),
  };
  const args = typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
  return { code: await runCommand(args, world), ...printed };
}

const missing = (): KubectlEnd => ({ code: 127, stdout: "", stderr: "there is no kubectl" });
