// How the API answers where it does not answer the question: a Status, as every Kubernetes client reads it.

/** What went wrong, by the reasons of the Kubernetes API. */
const codes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  RequestEntityTooLarge: 413,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;
export type FailureReason = keyof typeof codes;

/** A request that gets no preview. */
export class PreviewFailure extends Error {
  override readonly name = "PreviewFailure";

  constructor(
    readonly reason: FailureReason,
    message: string,
    /** When it is worth another try, in seconds; undefined: it is not. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }

  get code(): number {
    return codes[this.reason];
  }

  get status(): unknown {
    const { reason, code, message, retryAfterSeconds } = this;
    const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
    return { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", message, reason, code, ...details };
  }
}
