// Looks at a group's processes again and again: its peak of memory, and which programs it started.
import { basename } from "node:path";
import { argumentsOf } from "./proc";
import type { ProcessGroup } from "./process-group";

/** A process that was seen in the group. */
export interface Started {
  readonly pid: number;
  /** Name of the program, without its directory. */
  readonly program: string;
}

export interface Sampler {
  /** Largest sum of resident memory since the last reset, in bytes. Pages that processes share count for each. */
  readonly peakBytes: number;
  /** In the order in which they were first seen. */
  readonly started: readonly Started[];
  stop(): void;
}

/** The shortest call of the CLI takes more than twice this. */
const everyMs = 50;

export function startSampler(group: ProcessGroup): Sampler {
  const seen = new Map<number, Started>();
  let peakBytes = 0;
  const timer = setInterval(() => {
    const members = group.members();
    peakBytes = Math.max(
      peakBytes,
      members.reduce((sum, { rss }) => sum + rss, 0),
    );
    for (const { pid } of members) {
      const known = seen.get(pid);
      // a child that has not become its program yet still bears its parent's name
      if (known !== undefined && !isForked(known)) continue;
      seen.set(pid, { pid, program: basename(argumentsOf(pid).split(" ")[0] ?? "") });
    }
  }, everyMs).unref();
  return {
    get peakBytes() {
      return peakBytes;
    },
    get started() {
      return [...seen.values()];
    },
    stop() {
      clearInterval(timer);
    },
  };
}

const isForked = ({ program }: Started): boolean => program === "node" || program === "";

/** Programs that live as long as the operator does. */
const resident = new Set(["node", "esbuild", "pulumi-resident", "pulumi-resource-kubernetes"]);

/** Processes that were started for the sake of a Database, and not once for all. */
export const forOneDatabase = (started: readonly Started[]): number =>
  started.filter(({ program }) => program !== "" && !resident.has(program)).length;
