// What is in the way of a replay of binary logs.

/** There are no logs, or they do not count, or have a gap, or are of a later server, or cannot be taken in. */
export class ReplayProblem extends Error {
  constructor(
    readonly kind: "none" | "given up" | "gap" | "version" | "changes",
    message: string,
    /** Of the server, where it does not take a change. */
    readonly errno?: number,
  ) {
    super(message);
  }
}
