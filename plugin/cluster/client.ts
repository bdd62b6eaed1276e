// Requests to the API server by Node's own client: a better one costs more to load than these few requests take.
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { createInterface } from "node:readline";
import { text as textIn } from "node:stream/consumers";
import { config, z } from "zod";
import { ApiFailure, type Cluster, type Query, type Reach } from "../command/world";
import { accessTo, type Access } from "./access";
import { plainJson } from "./plain-json";

// what is read once is not worth compiling a reader for
config({ jitless: true });

/** Milliseconds without a word after which the API server counts as away: it ends requests itself after a minute. */
const patienceMs = 65_000;

/** Opens the cluster that `reach` leads to. */
export async function openCluster(reach: Reach): Promise<Cluster> {
  const access = await accessTo(reach);
  return {
    namespace: access.namespace,
    user: access.user,
    get: async (path, query = {}) => answerOf(await sent(access, { method: "GET", path: pathOf(path, query) })),
    create: async (path, body) => answerOf(await sent(access, { method: "POST", path, body: JSON.stringify(body) })),
    patch: async (path, body, query = {}) =>
      answerOf(await sent(access, { method: "PATCH", path: pathOf(path, query), body: JSON.stringify(body) })),
    watch: (path, query, signal) => lines(access, pathOf(path, { ...query, watch: "true" }), signal),
  };
}

/** What a body is written as. */
const bodyTypes = { GET: "", POST: "application/json", PATCH: "application/merge-patch+json" } as const;

interface Sent {
  readonly method: keyof typeof bodyTypes;
  readonly path: string;
  readonly body?: string;
  readonly signal?: AbortSignal;
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
    const all = { ...options, headers, method, ...(signal && { signal }) };
    const request = (isPlain ? requestHttp : requestHttps)(`${server}${path}`, all, resolve);
    if (signal === undefined)
      request.setTimeout(patienceMs, () => request.destroy(new Error(`no answer within ${patienceMs / 1000} s`)));
    request.on("error", (error) => {
      reject(unreachable(access, error));
    });
    request.end(body);
  });
}

function unreachable({ server, context }: Access, error: Error): ApiFailure {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // several addresses were tried, and the message is empty
  const why = error.message || code;
  return new ApiFailure(0, "", `cannot reach the API server at ${server} (context ${context}): ${why}`);
}

async function answerOf(response: IncomingMessage): Promise<unknown> {
  const text = await textIn(response);
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

async function* lines(access: Access, path: string, signal: AbortSignal): AsyncGenerator {
  const response = await sent(access, { method: "GET", path, signal });
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
