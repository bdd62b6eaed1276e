// A program that fails, and says by its exit code in which way.

/** See the header. */
export class CodedFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
