// An API server over plain http that says what a test has written down: for what asks one, where the answers are the subject.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";

/** Answers one request; `nth` counts those that this answer had before, from 0. */
export type Answer = (response: ServerResponse, nth: number, request: IncomingMessage) => void;

export interface ScriptedApi {
  /** Path of a kubeconfig with a token, in a directory of its own. */
  readonly kubeconfig: string;
  /** `GET /path?query` of every request, in order. */
  readonly asked: readonly string[];
  /** Connections that were ever opened. */
  readonly connections: number;
  /** Requests whose `METHOD /path?query` matches are answered so from now on; the latest that matches decides. */
  on(request: RegExp, answer: Answer): void;
  stop(): Promise<void>;
}

/** A resource for discovery: of the core group, or of `group`. */
export interface ScriptedResource {
  readonly kind: string;
  readonly plural: string;
  readonly group?: string;
  readonly versions?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: "Namespaced" | "Cluster";
}

/** What is not scripted is answered with 404, as for a path that the API server does not know. */
export async function startScriptedApi(): Promise<ScriptedApi> {
  const scripts: { readonly request: RegExp; readonly answer: Answer; count: number }[] = [];
  const asked: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const line = `${request.method ?? ""} ${request.url ?? ""}`;
    asked.push(line);
    const script = scripts.findLast((candidate) => candidate.request.test(line));
    if (script === undefined) response.writeHead(404).end("404 page not found\n");
    else script.answer(response, script.count++, request);
  }).on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const directory = await mkdtemp(join(tmpdir(), "scripted-api-"));
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigFor(server.address()), { mode: 0o600 });
  return {
    kubeconfig,
    asked,
    get connections() {
      return connections;
    },
    on: (request, answer) => scripts.push({ request, answer, count: 0 }),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true });
    },
  };
}

/** A client that minds how its token travels sends none over plain http without it. */
const insecure = { "insecure-skip-tls-verify": true };

function kubeconfigFor(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return stringify({
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${address.port}`, ...insecure } }],
    users: [{ name: "u", user: { token: "secret" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** Answers with JSON. */
export const json =
  (body: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

/** An object's answer where there is no such object, other than where there is no such resource. */
export const notFound = json(
  { kind: "Status", status: "Failure", message: 'things "a" not found', reason: "NotFound", code: 404 },
  404,
);

/** A list at a resourceVersion; its items come without a kind, as an API server's do. */
export const list = (resourceVersion: string, ...items: readonly unknown[]): Answer =>
  json({ metadata: { resourceVersion }, items });

/** Begins the answer to a watch with these texts, each sent by itself, and leaves it open. */
export const begun =
  (...chunks: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    void send(response, chunks);
  };

/** The same, and ends it; with `cut` by breaking the connection. */
export const ended =
  (how: "end" | "cut", ...chunks: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    void send(response, chunks).then(() => (how === "end" ? response.end() : response.destroy()));
  };

async function send(response: ServerResponse, chunks: readonly string[]): Promise<void> {
  for (const chunk of chunks) {
    await new Promise((resolve) => response.write(chunk, resolve));
    // what is written in one turn may arrive as one
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A line of a watch. */
export const event = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

/** Makes the API server's discovery list these and no other resources. */
export function discover(api: ScriptedApi, ...resources: readonly ScriptedResource[]): void {
  const groups = new Map<string, ScriptedResource[]>();
  for (const resource of resources)
    groups.set(resource.group ?? "", [...(groups.get(resource.group ?? "") ?? []), resource]);
  const items = [...groups].map(([name, members]) => ({
    metadata: name === "" ? {} : { name },
    versions: (members[0]?.versions ?? ["v1"]).map((version) => ({ version, resources: members.map(discovered) })),
  }));
  const isCore = ({ metadata }: { metadata: { name?: string } }): boolean => metadata.name === undefined;
  api.on(/^GET \/api$/, json({ items: items.filter(isCore) }));
  api.on(/^GET \/apis$/, json({ items: items.filter((group) => !isCore(group)) }));
}

const discovered = ({ kind, plural, scope = "Namespaced", shortNames, categories }: ScriptedResource): unknown => ({
  ...{ resource: plural, responseKind: { kind }, scope, singularResource: kind.toLowerCase() },
  ...{ verbs: ["get", "list", "watch"], shortNames, categories },
});
