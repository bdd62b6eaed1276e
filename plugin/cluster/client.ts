// Requests to the API server by Node's own client: a better one costs more to load than these few requests take.
import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { createInterface } from "node:readline";
import { text as textIn } from "node:stream/consumers";
import { config, z } from "zod";
import { ApiFailure, type Cluster, type Query, type Reach } from "../command/world";
import { accessTo, type Access } from "./access";
import { plainJson } from "../text/plain-json";

// what is read once is not worth compiling a reader for
config({ jitless: true });

/** Milliseconds after which the API server counts as away: until it is reached, and until it has answered. It ends requests itself after a minute. */
const connectMs = 10_000;
const patienceMs = 65_000;

/** After so many seconds the API server ends a watch; one that is silent for longer has lost its connection. */
const watchSeconds = 120;

/** Opens the cluster that `reach` leads to. */
export async function openCluster(reach: Reach): Promise<Cluster> {
  const first = await accessTo(reach);
  // which context is the current one may be another by the time of signing in again
  const send = sending({ ...reach, context: first.context }, first);
  return {
    namespace: first.namespace,
    context: first.context,
    get: async (path, query = {}, signal) =>
      answerOf(await send({ method: "GET", path: pathOf(path, query), signal: withinPatience(signal) })),
    create: async (path, body) =>
      answerOf(await send({ method: "POST", path, body: JSON.stringify(body), signal: withinPatience() })),
    patch: async (path, body, query = {}) =>
      answerOf(
        await send({
          ...{ method: "PATCH", path: pathOf(path, query), body: JSON.stringify(body) },
          signal: withinPatience(),
        }),
      ),
    watch: (path, query, signal) => {
      const all = { ...query, watch: "true", timeoutSeconds: String(watchSeconds) };
      return lines(() => send({ method: "GET", path: pathOf(path, all), signal }));
    },
  };
}

/** Also ends what was answered in part. */
function withinPatience(signal?: AbortSignal): AbortSignal {
  const late = AbortSignal.timeout(patienceMs);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}

type Send = (what: Sent) => Promise<IncomingMessage>;

interface Session {
  readonly access: Promise<Access>;
  /** Whether the API server knew who asks. */
  isKnown: boolean;
}

/** Signs in again where who was known is so no more: what proves it may have ended meanwhile. */
function sending(reach: Reach, first: Access): Send {
  let session: Session = { access: Promise.resolve(first), isKnown: false };
  return async (what) => {
    const mine = session;
    const response = await sentIn(mine, what);
    if (response.statusCode !== 401 || !mine.isKnown) return response;
    response.resume();
    // of several requests that are refused together the first does it
    if (session === mine) session = { access: accessTo(reach), isKnown: false };
    return sentIn(session, what);
  };
}

async function sentIn(session: Session, what: Sent): Promise<IncomingMessage> {
  const response = await sent(await session.access, what);
  if (response.statusCode !== 401) session.isKnown = true;
  return response;
}

/** What a body is written as. */
const bodyTypes = { GET: "", POST: "application/json", PATCH: "application/merge-patch+json" } as const;

interface Sent {
  readonly method: keyof typeof bodyTypes;
  readonly path: string;
  readonly body?: string;
  readonly signal: AbortSignal;
}

const pathOf = (path: string, query: Query): string => {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
};

function sent(access: Access, { method, path, body, signal }: Sent): Promise<IncomingMessage> {
  const { server, options } = access;
  const isPlain = server.startsWith("http:");
  const headers = {
    ...access.headers,
    Accept: "application/json",
    ...(body !== undefined && { "Content-Type": bodyTypes[method], "Content-Length": Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const all = { ...options, headers, method, signal };
    const request = (isPlain ? requestHttp : requestHttps)(`${server}${path}`, all, resolve);
    endWithoutConnection(request);
    // a watch has no other end where its connection is lost
    request.setTimeout((watchSeconds + 15) * 1000, () => request.destroy(new Error("the connection is lost")));
    request.on("error", (error) => {
      reject(unreachable(access, signal.aborted ? new Error("it did not answer in time") : error));
    });
    request.end(body);
  });
}

function endWithoutConnection(request: ClientRequest): void {
  const late = setTimeout(() => {
    request.destroy(new Error(`no connection within ${connectMs / 1000} s`));
  }, connectMs);
  const end = (): void => {
    clearTimeout(late);
  };
  request.once("close", end);
  request.once("socket", (socket) => {
    if (socket.connecting) socket.once("connect", end);
    else end();
  });
}

function unreachable({ server, context }: Access, error: Error): ApiFailure {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // several addresses were tried, and the message is empty
  const why = error.message || code;
  const by = context === undefined ? "" : ` (context ${context})`;
  // a password in it is not for screens
  const shown = server.replace(/(?<=^\w+:\/\/)[^/]*@/, "");
  return new ApiFailure(0, "", `cannot reach the API server at ${shown}${by}: ${why}`);
}

async function answerOf(response: IncomingMessage): Promise<unknown> {
  const text = await textIn(response).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiFailure(0, "", `the API server's answer broke off: ${why}`);
  });
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return plainJson(text);
  throw refusalOf(status, text);
}

const Status = z.object({ message: z.string().default(""), reason: z.string().default("") });

function refusalOf(status: number, text: string): ApiFailure {
  const { data } = Status.safeParse(jsonOr(text));
  const message = data?.message ?? "";
  return new ApiFailure(status, data?.reason ?? "", message === "" ? `HTTP status ${status}` : message);
}

function jsonOr(text: string): unknown {
  try {
    return plainJson(text);
  } catch {
    return undefined;
  }
}

async function* lines(ask: () => Promise<IncomingMessage>): AsyncGenerator {
  const response = await ask();
  if (response.statusCode !== 200) throw refusalOf(response.statusCode ?? 0, await textIn(response));
  const read = createInterface({ input: response, crlfDelay: Infinity });
  // the end of a stream that is not read to its end would be an uncaught error
  for (const emitter of [read, response]) emitter.on("error", () => undefined);
  try {
    for await (const line of read) if (line !== "") yield plainJson(line);
  } catch {
    // a connection that breaks ends the watch, in the middle of a line, too: who watches looks again
  } finally {
    response.destroy();
  }
}
