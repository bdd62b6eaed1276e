// What is kept of a cluster where a test failed: what people need, and no value of a Secret.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { dump, type DumpSource } from "./evidence-dump";
import type { Listed } from "./reader";

const object = (kind: string, name: string, namespace: string, more: object = {}): Listed => ({
  ...{ apiVersion: "v1", kind, metadata: { name, namespace } },
  ...more,
});

const canary = "c2VjcmV0LWNhbmFyeQ==";
const lastApplied = { "kubectl.kubernetes.io/last-applied-configuration": `{"data":{"password":"${canary}"}}` };
const secret = {
  ...object("Secret", "shop-credentials", "shop", { data: { password: canary, username: canary } }),
  metadata: { name: "shop-credentials", namespace: "shop", annotations: { ...lastApplied, note: "kept" } },
};
const lists: Readonly<Record<string, readonly Listed[]>> = {
  secrets: [secret],
  pods: [object("Pod", "shop-0", "shop"), object("Pod", "coredns", "kube-system")],
  events: [
    object("Event", "b", "shop", {
      ...{ lastTimestamp: "2026-11-23T10:00:02Z", type: "Warning", reason: "Killing", message: "later" },
      involvedObject: { kind: "Pod", name: "shop-0" },
    }),
    object("Event", "a", "shop", {
      ...{ lastTimestamp: "2026-11-23T10:00:01Z", type: "Normal", reason: "Started", message: "earlier", count: 3 },
      involvedObject: { kind: "Pod", name: "shop-0" },
    }),
  ],
};
const source: DumpSource = {
  list: (kinds) => (kinds === "jobs" ? Promise.reject(new Error("away")) : Promise.resolve([...(lists[kinds] ?? [])])),
  logs: (namespace, pod) => (pod === "shop-0" ? Promise.resolve(`${namespace} said`) : Promise.reject(new Error("no"))),
};

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "dump-"));
  await dump(source, directory);
});
after(() => rm(directory, { recursive: true }));

const read = (...path: readonly string[]): Promise<string> => readFile(join(directory, ...path), "utf8");

test("a Secret shows the names of what it holds, and no value of it anywhere", async () => {
  const text = await read("objects", "shop.yaml");
  assert.match(text, /holds:\n {2}- password\n {2}- username/);
  assert.match(text, /note: kept/);
  for (const file of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (file.isFile())
      assert.ok(!(await readFile(join(file.parentPath, file.name), "utf8")).includes(canary), file.name);
});

test("events are in the order of time, each with what it is about", async () => {
  assert.equal(
    await read("events.txt"),
    "2026-11-23T10:00:01Z Normal shop Pod/shop-0 Started: earlier (3 times)\n2026-11-23T10:00:02Z Warning shop Pod/shop-0 Killing: later\n",
  );
});

test("pods have their logs, and what is Kubernetes' own is left out", async () => {
  assert.equal(await read("logs", "shop.shop-0.log"), "shop said");
  assert.deepEqual(await readdir(join(directory, "logs")), ["shop.shop-0.log"]);
  assert.deepEqual(await readdir(join(directory, "objects")), ["shop.yaml"]);
});

test("a kind that cannot be listed is reported, and the others are there", async () => {
  assert.equal(await read("problems.txt"), "list of jobs: away\n");
});
