// The operator leaves nothing behind on its machine: no lock, no state, no temporary file, no process.
import type { Invariant } from "./snapshot";

export const leftovers: Invariant = {
  name: "leftovers",
  promise: "no lock, temporary directory or process is left of a run, and nothing at all of an operator that stopped",
  judge: ({ leftovers: found }) => {
    if (found === undefined) return undefined;
    return [
      ...found.files.map((file) => `${file} is left`),
      ...found.processes.map((process) => `process ${process} is left`),
    ];
  },
};
