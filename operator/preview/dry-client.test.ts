import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { createCredentials } from "../kube/credentials";
import { ClusterChildren } from "../kube/children";
import { keep } from "../checkpoint/kept";
import { ensureStateKey } from "../kube/operator-secrets";
import { createStackRecords } from "../kube/stack-records";
import { DryClient } from "./dry-client";

let server: Server;
let client: DryClient;
const methods = new Set<string>();

before(async () => {
  server = createServer((request, response) => {
    methods.add(request.method ?? "");
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // an object, as it listens on a port
  const { port } = server.address() as AddressInfo;
  const access = {
    server: `http://127.0.0.1:${port}`,
    headers: () => Promise.resolve({}),
    connection: () => Promise.resolve({}),
  };
  client = new DryClient(access, "test");
});
after(async () => {
  await client.close();
  server.close();
});

test("the operator's own code runs over it, and not one request writes", async () => {
  const store = { client, namespace: "system" };
  const key = "team/shop";
  assert.match(await ensureStateKey(store), /^.{44}$/);
  const passwords = await createCredentials(store).ensure(key);
  assert.equal(new Set(Object.values(passwords)).size, 5);
  const children = new ClusterChildren(client);
  const ours = ["Job shop-init", "ConfigMap shop-config", "StatefulSet shop"];
  await children.prepareAdoption(key, new Map(ours.map((child) => [child, "u"])));
  await children.sweep(key, "nothing");
  const record = {
    checkpoint: await keep("{}", "team.shop"),
    digest: "d",
    uid: "u",
    workload: undefined,
    declared: undefined,
    accepted: undefined,
    history: [],
  };
  await createStackRecords(store).save(key, { ...record, version: "" });
  assert.deepEqual([...methods], ["GET"]);
});

test("a write is answered with what was to be written", async () => {
  const body = { metadata: { name: "a" }, data: { b: "c" } };
  const stored = { metadata: { name: "a", resourceVersion: "0" }, data: { b: "c" } };
  assert.deepEqual(await client.create("/x", body), stored);
  assert.deepEqual(await client.replace("/x", body), stored);
  assert.deepEqual(await client.apply("/x", body), stored);
  assert.deepEqual(await client.mergePatch("/x", body), stored);
  assert.equal(await client.delete(), "gone");
});
