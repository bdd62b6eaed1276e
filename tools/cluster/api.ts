// A small client for the API server, for what the tools and the tests themselves ask of it.
import * as http from "node:http";
import * as https from "node:https";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { accessOf, type Access } from "./access";

/** An answer of the API server other than success. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  /** `reason` is that of the API server's Status, such as `NotFound`; empty where it sent none. */
  constructor(
    readonly status: number,
    message: string,
    readonly reason = "",
  ) {
    super(message);
  }
}

/** Requests as the user of a kubeconfig. */
export interface KubernetesApi {
  /**
   * The parsed JSON answer (text when it is not JSON). A PATCH with an array is a JSON patch, with an object a merge patch.
   * `accept` asks for another media type than JSON. Throws `ApiError` on a status of 400 or more.
   */
  request(method: Method, path: string, body?: unknown, accept?: string): Promise<unknown>;
  /** Creates or changes an object by server-side apply; `path` is the object's own, with its name. */
  apply(path: string, object: unknown): Promise<unknown>;
  /**
   * The events of a watch, unparsed, until the API server ends it. Throws `ApiError` where it is refused, the connection's
   * error where it breaks, and where `signal` is aborted. Its connection does not keep this process alive.
   */
  watch(path: string, signal: AbortSignal): AsyncIterable<unknown>;
  /** Closes kept connections. */
  close(): void;
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export interface ApiOptions {
  /** How long an answer may take, in milliseconds; a watch may run without limit. Default: 10 s. */
  readonly timeoutMs?: number;
}

const FIELD_MANAGER = "database-operator-tools";

/** Opens a client for the current context of a kubeconfig. */
export async function openApi(kubeconfig: string, { timeoutMs = 10_000 }: ApiOptions = {}): Promise<KubernetesApi> {
  const connection = new Connection(await accessOf(kubeconfig));
  const send = async (method: Method, path: string, content: Content = {}): Promise<unknown> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await connection.open({ method, path, content, signal });
    return parseJson(await text(answer));
  };
  return {
    request: (method, path, value, accept) => send(method, path, { accept, ...bodyOf(method, value) }),
    apply: (path, value) =>
      send("PATCH", `${path}?fieldManager=${FIELD_MANAGER}&force=true`, {
        type: "application/apply-patch+yaml",
        value,
      }),
    watch: (path, signal) => connection.lines(path, signal),
    close: () => {
      connection.close();
    },
  };
}

interface Content {
  /** Of what is sent. */
  readonly type?: string;
  readonly value?: unknown;
  /** What is asked for. */
  readonly accept?: string;
}

function bodyOf(method: Method, value: unknown): Content {
  if (value === undefined) return {};
  if (method !== "PATCH") return { type: "application/json", value };
  return { type: `application/${Array.isArray(value) ? "json" : "merge"}-patch+json`, value };
}

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly content: Content;
  readonly signal: AbortSignal;
  /** Whether this process may end before the answer does. */
  readonly detached?: boolean;
}

/** Kept-alive connections to one API server; idle ones do not keep this process alive. */
class Connection {
  readonly #access: Access;
  readonly #agent: http.Agent;

  constructor(access: Access) {
    const { ca, cert, key, server } = access;
    this.#access = access;
    this.#agent =
      server.protocol === "https:"
        ? new https.Agent({ keepAlive: true, ca, cert, key })
        : new http.Agent({ keepAlive: true });
  }

  /** Resolves with a successful answer whose body is still to come. */
  async open(request: Request): Promise<http.IncomingMessage> {
    const answer = await this.#send(request);
    const { statusCode = 0 } = answer;
    if (statusCode < 400) return answer;
    const { message, reason } = statusOf(parseJson(await text(answer)));
    throw new ApiError(statusCode, `${request.method} ${request.path}: ${statusCode} ${message}`, reason);
  }

  /** The lines of an answer that continues, as JSON; one that the end of the connection cuts off is none. */
  async *lines(path: string, signal: AbortSignal): AsyncIterable<unknown> {
    const answer = await this.open({ method: "GET", path, content: {}, signal, detached: true });
    answer.setEncoding("utf8");
    let rest = "";
    for await (const chunk of answer) {
      const lines = `${rest}${String(chunk)}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield JSON.parse(line) as unknown;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send({ method, path, content, signal, detached = false }: Request): Promise<http.IncomingMessage> {
    const { server, token } = this.#access;
    const request = server.protocol === "https:" ? https.request : http.request;
    const headers = {
      Accept: content.accept ?? "application/json",
      ...(content.type !== undefined && { "Content-Type": content.type }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    return new Promise((resolve, reject) => {
      const attempt = (): void => {
        const sent = request(new URL(path, server), { agent: this.#agent, method, headers, signal }, resolve);
        if (detached) sent.once("socket", (socket) => socket.unref());
        sent.on("error", (error) => {
          // the API server may close a kept connection in the moment in which it is used again: it has read nothing then
          if (sent.reusedSocket && !signal.aborted && method === "GET") attempt();
          else reject(toError(error, `${method} ${path}`, signal));
        });
        sent.end(content.value === undefined ? undefined : JSON.stringify(content.value));
      };
      attempt();
    });
  }
}

function toError(error: Error, what: string, signal: AbortSignal): Error {
  const isLate = signal.aborted && signal.reason instanceof Error && signal.reason.name === "TimeoutError";
  return new Error(`${what}: ${isLate ? "no answer in time" : error.message}`, { cause: error });
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const Status = z.object({ message: z.string(), reason: z.string().default("") });

function statusOf(answer: unknown): z.infer<typeof Status> {
  return Status.safeParse(answer).data ?? { message: String(answer), reason: "" };
}
