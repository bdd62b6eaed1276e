// A reverse proxy in front of the API server, through which the operator and Pulumi's provider go in tests: it counts what
// passes, and fails requests as the rules say.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describeRequest, textOf, type ApiRequest } from "./fault-proxy/request";
import { Rules, type Action, type Hold, type HoldMoment, type Match, type Rule } from "./fault-proxy/rules";
import { bodyOf, openUpstream, passedHeaders, type Upstream } from "./fault-proxy/upstream";
import { Watches } from "./fault-proxy/watches";

export { textOf, type ApiRequest } from "./fault-proxy/request";
export type { Action, Hold, Match, Rule } from "./fault-proxy/rules";
export type { Broken } from "./fault-proxy/watches";

export interface FaultProxy {
  /** For a kubeconfig. */
  readonly url: string;
  /** All that came, in order, until it was cleared. */
  readonly seen: readonly ApiRequest[];
  forget(): void;
  /** The requests that match from now on fare as `action` says. */
  rule(match: Match, action: Action): Rule;
  /** Holds each request that matches, by default before the API server hears of it, until the test releases it. */
  hold(match: Match, moment?: HoldMoment): Hold;
  /** Removes all rules. */
  clear(): void;
  readonly watches: Pick<Watches, "count" | "cut" | "bookmark" | "freeze" | "expire">;
  /** What the API server answered to lists of this path so far, oldest first. */
  lists(path: string): readonly string[];
  /** Breaks every connection and accepts none, as where no API server runs. */
  refuse(): Promise<void>;
  /** Accepts connections again. */
  accept(): Promise<void>;
  stop(): Promise<void>;
}

/** Where the API server is; `ca` where it is reached by https. */
export interface UpstreamPlace {
  readonly url: string;
  readonly ca?: string;
}

/** In PEM; with it the proxy speaks https, without it http. */
export interface ServerIdentity {
  readonly cert: string;
  readonly key: string;
}

/** Starts the proxy on a free port of 127.0.0.1. */
export async function startFaultProxy(place: UpstreamPlace, identity?: ServerIdentity): Promise<FaultProxy> {
  const passage = new Passage(openUpstream(place));
  const door = new Door((request, response) => {
    passage.pass(request, response).catch(() => response.destroy());
  }, identity);
  const port = await door.open(0);
  return {
    url: `${identity ? "https" : "http"}://127.0.0.1:${port}`,
    seen: passage.seen,
    forget: () => {
      passage.seen.length = 0;
    },
    rule: (match, action) => passage.rules.add(match, action),
    hold: (match, moment = "before") => passage.rules.hold(match, moment),
    clear: () => {
      passage.rules.clear();
    },
    watches: passage.watches,
    lists: (path) => passage.lists.get(path) ?? [],
    refuse: () => door.close(),
    accept: async () => {
      await door.open(port);
    },
    async stop() {
      passage.rules.clear();
      await door.close();
      passage.upstream.close();
    },
  };
}

/** The listening side, which can be closed and opened again under the same port. */
class Door {
  readonly #handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #sockets = new Set<Socket>();
  readonly #identity: ServerIdentity | undefined;
  #server: Server | undefined;

  constructor(handle: (request: IncomingMessage, response: ServerResponse) => void, identity?: ServerIdentity) {
    this.#handle = handle;
    this.#identity = identity;
  }

  async open(port: number): Promise<number> {
    const server = this.#identity ? createSecureServer(this.#identity, this.#handle) : createServer(this.#handle);
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    // a watch is idle for as long as nothing happens
    server.requestTimeout = 0;
    server.keepAliveTimeout = 60_000;
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    return portOf(server.address());
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return address.port;
}

/** What becomes of one request after the other. */
class Passage {
  readonly seen: ApiRequest[] = [];
  readonly rules = new Rules();
  readonly watches = new Watches();
  readonly lists = new Map<string, string[]>();

  constructor(readonly upstream: Upstream) {}

  async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const about = describeRequest(request);
    this.seen.push(about);
    const action = this.rules.actionFor(about);
    const passing = { about, action, response };
    if (!(await isWanted("before", passing))) return;
    if (action !== undefined && (await answers(action, about, response))) {
      request.resume();
      return;
    }
    const answer = await this.upstream.send(request, about, response);
    if (about.verb === "watch") {
      response.writeHead(statusOf(answer), passedHeaders(answer)).flushHeaders();
      this.watches.add(about, answer, response);
      return;
    }
    const body = await bodyOf(answer);
    if (about.verb === "list" && about.by === "operator") this.#record(about.path, body);
    if (await isWanted("answered", passing)) await reply(response, { about, action, answer, body });
  }

  #record(path: string, body: Buffer): void {
    const known = this.lists.get(path) ?? [];
    this.lists.set(path, [...known, body.toString("utf8")]);
  }
}

const statusOf = (answer: IncomingMessage): number => answer.statusCode ?? 502;

/** Does what comes before the API server hears of the request; true where it never will. */
async function answers(action: Action, about: ApiRequest, response: ServerResponse): Promise<boolean> {
  switch (action.kind) {
    case "cutBefore":
      await action.call?.(about);
      response.destroy();
      return true;
    case "refuse":
      refuse(response, action, about);
      return true;
    case "replay":
      response.writeHead(200, { "content-type": "application/json" }).end(action.body);
      return true;
    case "delay":
      await delay(action.ms);
      return false;
    case "hold":
    case "dropReply":
    case "callAfter":
    case "emptyList":
      return false;
  }
}

/** Returns at once, or when the test has released what it holds at this moment; false where the client is gone by then. */
async function isWanted(moment: HoldMoment, { about, action, response }: Passing): Promise<boolean> {
  if (action?.kind !== "hold" || action.moment !== moment) return true;
  const over = new AbortController();
  const gone = once(response, "close", { signal: over.signal }).catch(() => undefined);
  if (!response.destroyed) await action.keep(about, gone);
  over.abort();
  return !response.destroyed;
}

interface Passing {
  readonly about: ApiRequest;
  readonly action: Action | undefined;
  readonly response: ServerResponse;
}

interface Reply {
  readonly about: ApiRequest;
  readonly action: Action | undefined;
  readonly answer: IncomingMessage;
  readonly body: Buffer;
}

/** Gives the client what the API server answered, or what is left of it. */
async function reply(response: ServerResponse, { about, action, answer, body }: Reply): Promise<void> {
  if (action?.kind === "dropReply") {
    await action.call?.(about);
    response.destroy();
    return;
  }
  const text = action?.kind === "emptyList" ? emptied(body) : body;
  response.writeHead(statusOf(answer), { ...passedHeaders(answer), "content-length": text.length }).end(text);
  if (action?.kind === "callAfter") await action.call(about);
}

function refuse(response: ServerResponse, action: Extract<Action, { kind: "refuse" }>, about: ApiRequest): void {
  const { code, reason, retryAfterSeconds } = action;
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, code };
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ ...status, message: `planned: ${textOf(about)} is refused` }));
}

function emptied(body: Buffer): Buffer {
  const list: unknown = JSON.parse(body.toString("utf8"));
  return Buffer.from(JSON.stringify({ ...Object(list), items: [] }));
}
