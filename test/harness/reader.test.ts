import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { promisify } from "node:util";
import {
  begun,
  discover,
  ended,
  event,
  json,
  list,
  notFound,
  startScriptedApi,
  type ScriptedApi,
} from "../fakes/scripted-api";
import { Reader, type ObjectPlace } from "./reader";

let api: ScriptedApi;
let reader: Reader;

const pods = { kind: "Pod", plural: "pods", shortNames: ["po"], categories: ["all"] };
const nodes = { kind: "Node", plural: "nodes", scope: "Cluster" } as const;
const sets = { kind: "StatefulSet", plural: "statefulsets", group: "apps", categories: ["all"] };
const databases = {
  ...{ kind: "Database", plural: "databases", group: "example.com" },
  ...{ versions: ["v1", "v1beta1"], shortNames: ["db"], categories: ["all"] },
};

beforeEach(async () => {
  api = await startScriptedApi();
  reader = new Reader({ KUBECONFIG: api.kubeconfig });
  discover(api, pods, nodes, sets, databases);
});
afterEach(() => api.stop());

const named = (name: string, more: Record<string, unknown> = {}): unknown => ({ metadata: { name, ...more } });
const place: ObjectPlace = { kind: "pod", name: "a", namespace: "n" };
/** What was asked for but discovery. */
const reads = (): string[] => api.asked.filter((line) => !/ \/apis?$/.test(line));

test("a list has the kind and version of each object, and not who manages its fields", async () => {
  api.on(/\/pods/, list("1", named("a", { managedFields: [{ manager: "m" }] })));
  assert.deepEqual(await reader.list("pods", { namespace: "n" }), [
    { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
  ]);
  const [kept] = await reader.list("pods", { namespace: "n", managedFields: true });
  assert.deepEqual(kept?.metadata, { name: "a", managedFields: [{ manager: "m" }] });
});

test("several kinds are several lists, in their order and each once, of a namespace or of all", async () => {
  api.on(/\/pods/, list("1", named("a")));
  api.on(/\/statefulsets/, list("1", named("s")));
  api.on(/\/nodes/, list("1", named("host")));
  api.on(/\/databases/, list("1", named("d")));
  const found = await reader.list("statefulset,nodes,po,pods", {
    namespace: "n",
    selector: "app=x,role",
    fields: "a=b",
  });
  assert.deepEqual(
    found.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ["StatefulSet s", "Node host", "Pod a"],
  );
  const query = "?labelSelector=app%3Dx%2Crole&fieldSelector=a%3Db";
  assert.deepEqual(reads().sort(), [
    `GET /api/v1/namespaces/n/pods${query}`,
    `GET /api/v1/nodes${query}`,
    `GET /apis/apps/v1/namespaces/n/statefulsets${query}`,
  ]);
  assert.equal((await reader.list("db,all")).length, 3);
  assert.ok(reads().includes("GET /api/v1/pods"));
});

for (const [word, path] of Object.entries({
  po: "/api/v1/namespaces/n/pods/a",
  Pod: "/api/v1/namespaces/n/pods/a",
  node: "/api/v1/nodes/a",
  db: "/apis/example.com/v1/namespaces/n/databases/a",
  "databases.example.com": "/apis/example.com/v1/namespaces/n/databases/a",
  "databases.v1beta1.example.com": "/apis/example.com/v1beta1/namespaces/n/databases/a",
  "statefulset.apps": "/apis/apps/v1/namespaces/n/statefulsets/a",
}))
  test(`${word} is found at ${path}`, async () => {
    api.on(/\/a$/, json(named("a")));
    await reader.find({ kind: word, name: "a", namespace: "n" });
    assert.deepEqual(reads(), [`GET ${path}`]);
  });

test("what is not there is undefined, and any other refusal an error with the API server's words", async () => {
  api.on(/\/pods\/a/, notFound);
  assert.equal(await reader.find(place), undefined);
  api.on(/\/pods\/a/, json({ kind: "Status", message: "pods is forbidden", reason: "Forbidden" }, 403));
  await assert.rejects(reader.find(place), /\/pods\/a: 403 pods is forbidden/);
});

test("an unknown kind is looked for again, and is an error where there is none", async () => {
  await assert.rejects(reader.find({ ...place, kind: "widget" }), /doesn't have a resource type among "widget"/);
  discover(api, pods, { kind: "Widget", plural: "widgets", group: "example.com" });
  api.on(/\/widgets\/a/, json(named("a")));
  assert.deepEqual(await reader.find({ ...place, kind: "widget" }), {
    ...{ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } },
  });
});

test("a kind whose version has gone is looked for again, and a missing object is not", async () => {
  api.on(/\/pods\/a/, notFound);
  api.on(/v1\/namespaces\/n\/databases\/a$/, json(named("a")));
  await reader.find({ ...place, kind: "db" });
  api.on(/v1\/namespaces\/n\/databases\/a$/, (response) => response.writeHead(404).end("404 page not found\n"));
  api.on(/v2\/namespaces\/n\/databases\/a$/, json(named("a")));
  discover(api, pods, { ...databases, versions: ["v2"] });
  const before = api.asked.length;
  assert.deepEqual(await reader.find({ ...place, kind: "db" }), {
    ...{ apiVersion: "example.com/v2", kind: "Database", metadata: { name: "a" } },
  });
  assert.equal(await reader.find(place), undefined);
  assert.equal(api.asked.slice(before).filter((line) => line === "GET /apis").length, 1);
});

test("a kept connection that is closed when it is used again is not an error", async () => {
  api.on(/\/nodes/, list("1"));
  await reader.list("nodes");
  api.on(/\/pods\/a/, (response, nth, request) => {
    if (nth === 0) response.destroy();
    else json(named("a"))(response, nth, request);
  });
  assert.deepEqual(await reader.find(place), { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } });
  assert.deepEqual(reads().slice(1), Array(2).fill("GET /api/v1/namespaces/n/pods/a"));
});

test("an API server that is down is an error of that read alone, as is a missing kubeconfig", async () => {
  api.on(/\/pods\/a/, json(named("a")));
  api.on(/^GET \/apis?$/, (response) => response.destroy());
  await assert.rejects(reader.find(place), /GET \/apis?: socket hang up/);
  discover(api, pods);
  await assert.doesNotReject(reader.find(place));
  const missing = new Reader({ KUBECONFIG: `${api.kubeconfig}.new` });
  await assert.rejects(missing.find(place), /ENOENT/);
  await copyFile(api.kubeconfig, `${api.kubeconfig}.new`);
  await assert.doesNotReject(missing.find(place));
});

test("one connection serves one read after the other, with the token", async () => {
  api.on(/\/pods\/a/, (response, _nth, request) => {
    json(named("a", { labels: { token: request.headers.authorization } }))(response, 0, request);
  });
  for (let time = 0; time < 5; time += 1) await reader.find(place);
  const shown = JSON.stringify(await reader.find(place));
  assert.match(shown, /Bearer secret/);
  assert.ok(api.connections <= 2, String(api.connections));
});

const follow = async (signal = new AbortController().signal): Promise<unknown[]> => {
  const seen: unknown[] = [];
  for await (const object of reader.follow(place, signal)) seen.push(object);
  return seen;
};
const pod = (version: string): unknown => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", resourceVersion: version },
});

test("it follows an object from the version there is, over events in pieces, until the watch ends", async () => {
  api.on(/\/pods\?fieldSelector/, list("5", named("a", { resourceVersion: "3" })));
  const text = event("MODIFIED", pod("6")) + event("DELETED", pod("7")) + event("ADDED", pod("8"));
  api.on(/watch=true/, ended("end", text.slice(0, 30), text.slice(30, 31), text.slice(31, -1), "\n"));
  assert.deepEqual(await follow(), [pod("3"), pod("6"), undefined, pod("8")]);
  assert.equal(
    reads()[1],
    "GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da&watch=true&resourceVersion=5",
  );
});

test("it follows an object that is not there yet", async () => {
  api.on(/\/pods\?fieldSelector/, list("5"));
  api.on(/watch=true/, ended("end", event("ADDED", pod("6"))));
  assert.deepEqual(await follow(), [undefined, pod("6")]);
});

const breaks: Record<string, readonly [answer: ReturnType<typeof json>, error: RegExp]> = {
  "that expired": [
    ended("end", event("ERROR", { message: "too old resource version", code: 410 })),
    /too old resource version/,
  ],
  "that is refused": [json({ message: "gone", reason: "Expired" }, 410), /410 gone/],
  "whose connection breaks within an event": [ended("cut", event("MODIFIED", pod("6")).slice(0, 20)), /aborted/],
};
for (const [which, [answer, error]] of Object.entries(breaks))
  test(`a watch ${which} is an error`, async () => {
    api.on(/\/pods\?fieldSelector/, list("5"));
    api.on(/watch=true/, answer);
    await assert.rejects(follow(), error);
  });

test("a watch on which nothing comes ends when it is told to", async () => {
  api.on(/\/pods\?fieldSelector/, list("5"));
  const end = new AbortController();
  api.on(/watch=true/, (response, nth, request) => {
    begun()(response, nth, request);
    setTimeout(() => {
      end.abort();
    }, 20);
  });
  await assert.rejects(follow(end.signal), /aborted/);
});

test("neither a kept connection nor a watch keeps a process alive", async () => {
  api.on(/\/pods\?fieldSelector/, list("5"));
  api.on(/watch=true/, begun());
  const program = `
    import { Reader } from ${JSON.stringify(join(__dirname, "reader"))};
    const reader = new Reader({});
    await reader.list("pods", { fields: "a=b" });
    const versions = reader.follow(${JSON.stringify(place)}, new AbortController().signal);
    await versions.next();
    void versions.next();
    setTimeout(() => console.log("watching"), 200);
  `;
  const args = ["--import", "tsx", "--input-type=module", "--eval", program];
  const options = {
    env: { ...process.env, KUBECONFIG: api.kubeconfig },
    timeout: 20_000,
    cwd: join(__dirname, "../.."),
  };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  assert.equal(stdout, "watching\n");
  assert.match(reads().at(-1) ?? "", /watch=true/);
});

test("whether a patch would be accepted is asked for and not done", async () => {
  api.on(/^PATCH/, (response, nth, request) => {
    assert.equal(request.headers["content-type"], "application/json-patch+json");
    json(named("a"), nth === 0 ? 200 : 422)(response, nth, request);
  });
  assert.equal(await reader.wouldAccept(place, [{ op: "remove", path: "/a" }], "somebody"), true);
  assert.equal(await reader.wouldAccept(place, [{ op: "remove", path: "/a" }], "somebody"), false);
  assert.equal(reads()[0], "PATCH /api/v1/namespaces/n/pods/a?dryRun=All&fieldManager=somebody");
});
