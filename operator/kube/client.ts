// The one HTTP client to the API server: kept-alive connections, errors as values to switch on.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { Agent, fetch, type buildConnector, type Response } from "undici";
import { z } from "zod";
import { parseJson } from "../json";

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
  headers(url: string, method: Method): Promise<Record<string, string>>;
  /** How connections are made: certificates, or a socket. */
  connection(): Promise<buildConnector.BuildOptions>;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Seconds that a request other than a watch may take. */
const requestTimeoutSeconds = 30;

export class KubeClient {
  readonly #access: Access;
  readonly #fieldManager: string;
  #agents: Promise<Agents> | undefined;

  /** `fieldManager` marks every write. */
  constructor(access: Access, fieldManager: string) {
    this.#access = access;
    this.#fieldManager = fieldManager;
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
    return this.#json("POST", path, { body, query: { fieldManager: this.#fieldManager } });
  }

  /** Replaces the object: the write fails with 409 when `body` carries an outdated resourceVersion. */
  async replace(path: string, body: unknown): Promise<unknown> {
    return this.#json("PUT", path, { body, query: { fieldManager: this.#fieldManager } });
  }

  /** Server-side apply, taking over fields that somebody else owns. */
  async apply(path: string, body: unknown): Promise<unknown> {
    const query = { fieldManager: this.#fieldManager, force: true };
    return this.#json("PATCH", path, { body, query, contentType: "application/apply-patch+yaml" });
  }

  async mergePatch(path: string, body: unknown): Promise<unknown> {
    const query = { fieldManager: this.#fieldManager };
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
    const response = await this.#send("GET", path, { ...options, isStream: true });
    if (!response.body) return;
    const input = Readable.fromWeb(response.body);
    try {
      for await (const line of createInterface({ input, crlfDelay: Infinity })) {
        if (line !== "") yield JSON.parse(line) as unknown;
      }
    } finally {
      // readline neither ends its input nor keeps listening to it: a later abort would be an uncaught error
      input.on("error", () => undefined).destroy();
    }
  }

  /** Closes the kept-alive connections. */
  async close(): Promise<void> {
    const agents = await this.#agents;
    await Promise.all([agents?.streams.destroy(), agents?.requests.destroy()]);
  }

  async #json(method: Method, path: string, options: RequestOptions): Promise<unknown> {
    const deadline = AbortSignal.timeout(requestTimeoutSeconds * 1000);
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
    const response = await this.#send(method, path, { ...options, signal });
    return response.json();
  }

  async #send(method: Method, path: string, options: RequestOptions & { isStream?: boolean }): Promise<Response> {
    const url = urlOf(this.#access.server + path, options.query);
    const credentials = await this.#access.headers(url.toString(), method);
    const headers: Record<string, string> = { ...credentials, Accept: options.accept ?? "application/json" };
    if (options.body !== undefined) headers["Content-Type"] = options.contentType ?? "application/json";
    const response = await this.#fetch(url, {
      method,
      headers,
      dispatcher: (await this.#sharedAgents())[options.isStream ? "streams" : "requests"],
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async #fetch(...request: Parameters<typeof fetch>): Promise<Response> {
    try {
      return await fetch(...request);
    } catch (error) {
      // undici says "fetch failed" and hides why one level below
      const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : undefined;
      if (cause === undefined) throw error;
      throw new Error(`cannot reach the API server at ${this.#access.server}: ${cause.message}`, { cause: error });
    }
  }

  // shared by all requests: a new agent would make a new TLS connection for each
  #sharedAgents(): Promise<Agents> {
    this.#agents ??= this.#makeAgents();
    return this.#agents;
  }

  async #makeAgents(): Promise<Agents> {
    const options = {
      // one connection for all streams would let a single half-open one blind every watch and request at once
      allowH2: false,
      connect: await this.#access.connection(),
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

/** Further requests wait: a TLS connection costs more than a request does. */
const requestsAtOnce = 24;

function urlOf(text: string, query: Query = {}): URL {
  const url = new URL(text);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const parsed = StatusBody.safeParse(parseJson(text));
  const { message, reason } = parsed.success ? parsed.data : { message: text.slice(0, 200), reason: "" };
  return new ApiError(response.status, reason, message || response.statusText);
}
