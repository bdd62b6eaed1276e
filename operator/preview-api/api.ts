// The aggregated API: who asks is known by the API server, whether they may is asked of it, and the answer is what `make preview` says.
import { databaseResource, previewResource } from "../../contract/resources";
import { discovery, previewRoot } from "./discovery";
import { PreviewFailure } from "./failure";
import { userOf, type FrontProxy, type Headers, type ShownCertificate, type User } from "./front-proxy";
import { Gate, type GateLimits, type Turn } from "./gate";
import { namespaceIn, questionIn, type Question } from "./question";

/** What is done to which Database. */
export interface DatabaseAccess {
  readonly verb: "create" | "update" | "patch" | "delete";
  readonly namespace: string;
  readonly name: string;
}

/** What the API needs of the cluster. Rejects where that cannot be reached. */
export interface PreviewPorts {
  /** Undefined while it is not known, and where the API server authenticates for no other one. */
  readonly frontProxy: () => FrontProxy | undefined;
  /** Whether Databases of the namespace count. */
  readonly watches: (namespace: string) => boolean;
  readonly allows: (user: User, access: DatabaseAccess) => Promise<boolean>;
  readonly exists: (access: Pick<DatabaseAccess, "namespace" | "name">) => Promise<boolean>;
  /** The status of the answer. */
  readonly preview: (question: Question, signal: AbortSignal) => Promise<unknown>;
  readonly onError: (path: string, error: unknown) => void;
}

export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly shown: ShownCertificate | undefined;
  /** Reads the body, and hands it on; what that returns is the reply. */
  readonly withBody: (work: (text: string) => Promise<ApiReply>) => Promise<ApiReply>;
}

/** A status of HTTP, an object, and headers. */
export type ApiReply = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

/** The API server ends requests after a minute. */
const deadlineMs = 30_000;
/** A preview costs a sixth of a second of processor time, and what comes before it is work for the API server. */
const limits: GateLimits = { running: 2, waiting: 8, perUser: 3 };

export interface PreviewApi {
  readonly owns: (path: string) => boolean;
  /** Never rejects. */
  readonly answer: (request: ApiRequest) => Promise<ApiReply>;
}

export function previewApi(ports: PreviewPorts, timeoutMs = deadlineMs): PreviewApi {
  const gate = new Gate(limits);
  return {
    owns: (path) => path === previewRoot || path.startsWith(`${previewRoot}/`),
    answer: async (request) => ended(request, await answered(request, { ports, gate, timeoutMs })),
  };
}

async function answered(request: ApiRequest, serving: Serving): Promise<ApiReply> {
  try {
    return await replyTo(request, serving);
  } catch (error) {
    if (error instanceof PreviewFailure) return replyOf(error);
    serving.ports.onError(request.path, error);
    return replyOf(new PreviewFailure("InternalError", "the operator could not preview it: its log says why"));
  }
}

/** On a connection from before its authority was known the API server has shown no certificate, and never will: it must open another. */
function ended({ shown }: ApiRequest, [status, body, headers]: ApiReply): ApiReply {
  const isUseless = shown === undefined || status === 401;
  return [status, body, { ...headers, ...(isUseless && { Connection: "close" }) }];
}

function replyOf(failure: PreviewFailure): ApiReply {
  const { code, status, retryAfterSeconds } = failure;
  return [code, status, retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }];
}

interface Serving {
  readonly ports: PreviewPorts;
  readonly gate: Gate;
  readonly timeoutMs: number;
}

async function replyTo(request: ApiRequest, serving: Serving): Promise<ApiReply> {
  const { method, path, headers, shown } = request;
  if (method === "GET" && Object.hasOwn(discovery, path)) return [200, discovery[path]];
  const namespace = namespaceIn(path);
  if (namespace === undefined) throw new PreviewFailure("NotFound", `there is no ${path}`);
  if (method !== "POST")
    throw new PreviewFailure("MethodNotAllowed", `${previewResource.plural} can only be created: nothing is stored`);
  const proxy = serving.ports.frontProxy();
  if (proxy === undefined)
    throw new PreviewFailure("ServiceUnavailable", "it is not known yet by what the API server can be told", 2);
  const user = userOf(headers, shown, proxy);
  if (user === undefined) throw new PreviewFailure("Unauthorized", "ask the API server: it knows who you are");
  if (!serving.ports.watches(namespace))
    throw new PreviewFailure("NotFound", `the operator does not look after namespace ${namespace}`);
  const reply = await serving.gate.admit(user.username, (turn) =>
    request.withBody(async (text) => {
      const question = questionIn(text, namespace);
      await mustBeAllowed(user, question, serving.ports);
      return [201, { ...question.asked, status: await inTime(question, turn, serving) }];
    }),
  );
  const [status, words] = reply;
  if (typeof words !== "string") return reply;
  throw status === 413
    ? new PreviewFailure("RequestEntityTooLarge", words)
    : new PreviewFailure("ServiceUnavailable", words, 2);
}

/** Who may not write the Database gets nothing, and does not learn whether there is one either. */
async function mustBeAllowed(user: User, { namespace, name, operation }: Question, ports: PreviewPorts): Promise<void> {
  const place = { namespace, name };
  for (const verb of await verbsFor(operation, place, ports)) {
    if (await ports.allows(user, { verb, ...place })) return;
  }
  const { plural, group } = databaseResource;
  const what = operation === "Delete" ? "delete" : "write";
  throw new PreviewFailure("Forbidden", `you may not ${what} ${plural}.${group} ${name} in namespace ${namespace}`);
}

async function verbsFor(
  operation: Question["operation"],
  place: Pick<DatabaseAccess, "namespace" | "name">,
  { exists }: PreviewPorts,
): Promise<readonly DatabaseAccess["verb"][]> {
  if (operation === "Delete") return ["delete"];
  return (await exists(place)) ? ["update", "patch"] : ["create"];
}

/** Clients repeat by themselves what they are told to try again: what takes too long once must not be begun again. */
async function inTime(question: Question, turn: Turn, { ports, timeoutMs }: Serving): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => {
    reject(new PreviewFailure("Timeout", "the preview took too long"));
  };
  signal.addEventListener("abort", giveUp, { once: true });
  // a place is taken until the work has really ended
  const work = turn(signal, () => ports.preview(question, signal));
  try {
    return await Promise.race([work, late]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    work.catch(() => undefined);
  }
}
