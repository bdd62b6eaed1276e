// What object storage refuses, or why it does not answer, in words that say what to look at: pure.
import { textOf } from "../log";

/** What is at fault. */
export type Fault =
  "keys" | "rights" | "bucket" | "full" | "region" | "clock" | "certificate" | "unreachable" | "storage";

/** A request that came to nothing. */
export class StorageFailure extends Error {
  override readonly name = "StorageFailure";

  constructor(
    readonly fault: Fault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Where it was sent. */
export interface Sent {
  readonly bucket: string;
  readonly endpoint: string;
  readonly region: string;
}

/** By the names that the storage gives its errors, or Node those of connections. */
const faults: readonly (readonly [RegExp, Fault])[] = [
  // versitygw's own is among them
  [
    /^(InvalidAccessKeyId|XAdminUserNotFound|SignatureDoesNotMatch|InvalidToken|ExpiredToken|TokenRefreshRequired)$/,
    "keys",
  ],
  [/^(AccessDenied|AllAccessDisabled|AccountProblem|Forbidden)$/, "rights"],
  [/^NoSuchBucket$/, "bucket"],
  // of Ceph with the status of a right that is missing, of MinIO of a server that fails
  [/^(QuotaExceeded|XMinioStorageFull|XMinioAdminBucketQuotaExceeded|StorageFull|InsufficientStorage)$/, "full"],
  [/^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/, "region"],
  [/^(RequestTimeTooSkewed|RequestExpired|RequestInTheFuture)$/, "clock"],
  [
    /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|EPROTO$|ERR_SSL_|ERR_OSSL_)/,
    "certificate",
  ],
  [/^(E[A-Z_]+|TimeoutError|NetworkingError|AbortError)$/, "unreachable"],
];

const messages: Readonly<Record<Fault, (sent: Sent) => string>> = {
  keys: () =>
    "the object storage does not know the keys: correct accessKeyId and secretAccessKey in the Secret for its credentials",
  rights: ({ bucket }) =>
    `the account may not do that in bucket ${bucket}: it needs to list it, and to get, put and delete objects in it`,
  bucket: ({ bucket, endpoint }) => `there is no bucket ${bucket} at ${endpoint}: make it, or correct destination.s3`,
  full: ({ bucket, endpoint }) => `bucket ${bucket} at ${endpoint} takes no more: make room, or raise its quota`,
  region: ({ bucket, region }) => `bucket ${bucket} is not in region ${region}: correct region or endpoint`,
  clock: ({ endpoint }) => `the clock of this node and that of ${endpoint} differ too much: set the clock of the node`,
  certificate: ({ endpoint }) =>
    `the certificate of ${endpoint} is not one to trust: name a Secret with its authority (ca), or correct what it has`,
  unreachable: ({ endpoint }) => `${endpoint} does not answer`,
  storage: ({ endpoint }) => `the object storage at ${endpoint} refuses`,
};

/** Faults whose sentence says all; of the others the storage's words follow. */
const isPlain = (fault: Fault): boolean => !["storage", "unreachable", "certificate", "full"].includes(fault);

const longestWords = 200;

/** What an error of the client means. `doing`: completes "could not …". */
export function failureOf(error: unknown, doing: string, sent: Sent): StorageFailure {
  if (error instanceof StorageFailure) return error;
  const fault = faultOf(error);
  const words = `${nameOf(error)}: ${textOf(error)}`.slice(0, longestWords);
  const message = `could not ${doing}: ${messages[fault](sent)}${isPlain(fault) ? "" : ` (${words})`}`;
  return new StorageFailure(fault, message, { cause: error });
}

function faultOf(error: unknown): Fault {
  for (const name of [codeOf(error), nameOf(error)]) {
    const found = faults.find(([pattern]) => pattern.test(name));
    if (found !== undefined) return found[1];
  }
  const status = statusOf(error);
  if (status === 401 || status === 403) return "rights";
  return status === 301 ? "region" : "storage";
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "");

/** That of a connection, which may be wrapped. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const { $metadata: metadata } = error;
  return typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata
    ? Number(metadata.httpStatusCode)
    : undefined;
}

/** Whether it may be otherwise in a minute: no answer, or one of a server or a gateway that has trouble of its own. */
export const isPassing = ({ fault, cause }: StorageFailure): boolean =>
  fault === "unreachable" || (fault === "storage" && passing.has(statusOf(cause) ?? 0));

const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Whether an error says that there is no such object. By its name alone: other refusals have the same status, and would pass for a loss. */
export const isAbsent = (error: unknown): boolean => nameOf(error) === "NoSuchKey";
