// The operator goes on until it is told to stop, and says 0 then; one that has lost its lease ends at once.
import type { Invariant } from "./snapshot";

export const alive: Invariant = {
  name: "alive",
  promise: "the operator ends only when it is told to, and then with 0, or when another one leads",
  judge: ({ operator }) => operator?.ends,
};
