// The one HTTP client to the API server: kept-alive connections, errors as values to switch on.
import { createInterface } from "node:readline";
import pLimit from "p-limit";
import { Agent, errors, type buildConnector, type Dispatcher } from "undici";
import { z } from "zod";
import { parseJson } from "../objects/json";

/** The API server answered with a status other than 2xx, or with something that is no JSON. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** The Status object's reason, for example `NotFound` or `Conflict`; empty where the server sent none. */
    readonly reason: string,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Whether `error` is the API server's answer with HTTP status `status`. */
export function isApiError(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Default: `application/json`. `metadataOnly` where that is enough. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** How an apply is sent. */
export interface ApplyOptions {
  /** The field manager. Default: the client's. */
  readonly as?: string;
  /** Default: true. */
  readonly force?: boolean;
}

/** Accept headers for metadata alone: of an object (and of a watch's objects), and of a list. */
export const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
export const metadataListOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

const Going = z.object({ metadata: z.object({ deletionTimestamp: z.string() }) });
const StatusBody = z.object({ message: z.string().default(""), reason: z.string().default("") });

/** Where the API server is, and how a request proves who it is from. */
export interface Access {
  /** URL without a slash at its end. */
  readonly server: string;
  /** Headers that a request carries. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** How connections are opened: certificates, or a socket. */
  connection(): Promise<buildConnector.BuildOptions>;
}

/** This process may not write any more. */
export class WritesFenced extends Error {
  constructor() {
    super("another operator may lead now: this one no longer writes");
    this.name = "WritesFenced";
  }
}

const dryRun = { dryRun: "All" } as const;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Further requests wait: a TLS connection costs more than a request does. */
const requestsAtOnce = 24;

/** Seconds that a request other than a watch may take. */
const requestTimeoutSeconds = 30;

export class KubeClient {
  readonly #origin: string;
  readonly #prefix: string;
  // in the agent's own queue a write would stay that was allowed when it came and is not when it goes
  readonly #turns = pLimit(requestsAtOnce);
  #agents: Promise<Agents> | undefined;
  #aheadMs: number | undefined;

  /** `fieldManager` marks every write. `mayWrite` is asked right before each; without it, all are sent, else WritesFenced. */
  constructor(
    private readonly access: Access,
    private readonly fieldManager: string,
    private readonly mayWrite = (): boolean => true,
  ) {
    const { origin, pathname } = new URL(access.server);
    this.#origin = origin;
    // a proxy in front of several clusters distinguishes them by a path
    this.#prefix = pathname === "/" ? "" : pathname;
  }

  /** By how much the clock here is ahead of the API server's, in milliseconds, by its last answer; undefined where none has come. */
  get aheadMs(): number | undefined {
    return this.#aheadMs;
  }

  /** The object at `path`; undefined where there is none. */
  async find(path: string, options: RequestOptions = {}): Promise<unknown> {
    try {
      return await this.#json("GET", path, options);
    } catch (error) {
      if (isApiError(error, 404)) return undefined;
      throw error;
    }
  }

  async get(path: string, options: RequestOptions = {}): Promise<unknown> {
    return this.#json("GET", path, options);
  }

  async create(path: string, body: unknown): Promise<unknown> {
    return this.#json("POST", path, { body, query: { fieldManager: this.fieldManager } });
  }

  /** The object as a creation would make it: it is judged as a real one, and not stored. */
  async wouldCreate(path: string, body: unknown): Promise<unknown> {
    return this.#json("POST", path, { body, query: { fieldManager: this.fieldManager, ...dryRun } });
  }

  /** The same of a merge patch. */
  async wouldMergePatch(path: string, body: unknown): Promise<unknown> {
    const query = { fieldManager: this.fieldManager, ...dryRun };
    return this.#json("PATCH", path, { body, query, contentType: "application/merge-patch+json" });
  }

  /** Replaces the object: the write fails with 409 when `body` carries an outdated resourceVersion. */
  async replace(path: string, body: unknown): Promise<unknown> {
    return this.#json("PUT", path, { body, query: { fieldManager: this.fieldManager } });
  }

  /** Server-side apply, taking fields that another manager owns; without `force` that fails with 409. */
  async apply(
    path: string,
    body: unknown,
    { as = this.fieldManager, force = true }: ApplyOptions = {},
  ): Promise<unknown> {
    const query = { fieldManager: as, force };
    return this.#json("PATCH", path, { body, query, contentType: "application/apply-patch+yaml" });
  }

  async mergePatch(path: string, body: unknown, as = this.fieldManager): Promise<unknown> {
    const query = { fieldManager: as };
    return this.#json("PATCH", path, { body, query, contentType: "application/merge-patch+json" });
  }

  /**
   * Deletes with background propagation; with `uid` just that object. `going`: finalizers or a grace period keep it for
   * now; `gone`: there is none any more.
   */
  async delete(path: string, { uid }: { readonly uid?: string } = {}): Promise<"going" | "gone"> {
    const body = uid === undefined ? undefined : { preconditions: { uid } };
    try {
      const answer = await this.#json("DELETE", path, {
        query: { propagationPolicy: "Background" },
        ...(body && { body }),
      });
      // of one that is gone at once, the API server sends no object but a Status, or the object without a mark
      return Going.safeParse(answer).success ? "going" : "gone";
    } catch (error) {
      if (isApiError(error, 404) || (uid !== undefined && isApiError(error, 409))) return "gone";
      throw error;
    }
  }

  /** Yields the decoded lines of a watch until the server ends it or `signal` aborts it. */
  async *watch(path: string, options: RequestOptions & { signal: AbortSignal }): AsyncGenerator {
    const { body: input } = await this.#send("GET", path, { ...options, isStream: true });
    const lines = createInterface({ input, crlfDelay: Infinity });
    try {
      for await (const line of lines) {
        if (line !== "") yield JSON.parse(line) as unknown;
      }
    } finally {
      // readline neither ends its input nor keeps listening: the end of a stream that is not read to its end, and a later
      // abort, would be uncaught errors
      for (const emitter of [lines, input]) emitter.on("error", () => undefined);
      input.destroy();
    }
  }

  /** Closes the kept-alive connections. */
  async close(): Promise<void> {
    const agents = await this.#agents;
    await Promise.all([agents?.streams.destroy(), agents?.requests.destroy()]);
  }

  #json(method: Method, path: string, options: RequestOptions): Promise<unknown> {
    return this.#turns(() => this.#jsonNow(method, path, options));
  }

  async #jsonNow(method: Method, path: string, options: RequestOptions): Promise<unknown> {
    const deadline = AbortSignal.timeout(requestTimeoutSeconds * 1000);
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
    const { body } = await this.#send(method, path, { ...options, signal });
    return body.json();
  }

  async #send(
    method: Method,
    path: string,
    options: RequestOptions & { isStream?: boolean },
  ): Promise<Dispatcher.ResponseData> {
    const { body, query, signal } = options;
    const headers = {
      ...(await this.access.headers()),
      accept: options.accept ?? "application/json",
      ...(body !== undefined && { "content-type": options.contentType ?? "application/json" }),
    };
    const agent = (await this.#sharedAgents())[options.isStream ? "streams" : "requests"];
    if (method !== "GET" && !this.mayWrite()) throw new WritesFenced();
    const response = await this.#reach(
      // undici's fetch would do the same over web streams, at several times the cost
      agent.request({
        origin: this.#origin,
        path: `${this.#prefix}${path}${textOf(query)}`,
        method,
        headers,
        ...(signal && { signal }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    this.#aheadMs = aheadOf(response, this.#aheadMs);
    if (response.statusCode >= 300) throw await errorOf(response);
    return response;
  }

  async #reach<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      throw new Error(`cannot reach the API server at ${this.access.server}: ${error.message}`, { cause: error });
    }
  }

  // shared by all requests: a new agent would open a new TLS connection for each
  #sharedAgents(): Promise<Agents> {
    this.#agents ??= this.#makeAgents();
    return this.#agents;
  }

  async #makeAgents(): Promise<Agents> {
    const options = {
      // one connection for all streams would let a single half-open one blind every watch and request at once
      allowH2: false,
      connect: await this.access.connection(),
      keepAliveTimeout: 30_000,
    };
    return {
      // bodyTimeout 0: an idle watch sends a bookmark about once a minute only; the reflector has a deadline of its own.
      streams: new Agent({ ...options, bodyTimeout: 0 }),
      requests: new Agent({ ...options, connections: requestsAtOnce }),
    };
  }
}

/** Watches have connections of their own: else they would take those of requests. */
interface Agents {
  readonly streams: Agent;
  readonly requests: Agent;
}

/** By an answer, or else as before. */
const aheadOf = ({ headers: { date } }: Dispatcher.ResponseData, before: number | undefined): number | undefined =>
  typeof date === "string" ? Date.now() - Date.parse(date) : before;

/** Neither an answer nor a caller's abort, whose code is a number. */
function isUnreachable(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof errors.RequestAbortedError) return false;
  return "code" in error && typeof error.code === "string";
}

/** The query as it follows the path; empty where there is none. */
function textOf(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

async function errorOf({ statusCode, body }: Dispatcher.ResponseData): Promise<ApiError> {
  const text = await body.text();
  const parsed = StatusBody.safeParse(parseJson(text));
  const { message, reason } = parsed.success ? parsed.data : { message: text.slice(0, 200), reason: "" };
  return new ApiError(statusCode, reason, message || `HTTP status ${statusCode}`);
}
