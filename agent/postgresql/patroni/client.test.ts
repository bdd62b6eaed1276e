import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { PatroniClient } from "./client";

const answers: Readonly<Record<string, readonly [number, string]>> = {
  "GET /patroni": [
    503,
    JSON.stringify({ state: "starting", role: "replica", dcs_last_seen: 7, patroni: { version: "4.0.7" } }),
  ],
  "GET /cluster": [503, "{}"],
  "GET /config": [200, JSON.stringify({ ttl: 20, synchronous_mode: "quorum" })],
  "GET /primary": [200, ""],
  "GET /replica": [503, ""],
  "POST /restart": [202, "restart scheduled"],
  "POST /reinitialize": [401, "wrong password"],
  "POST /switchover": [412, "no good candidate"],
  "PATCH /config": [200, "{}"],
};
const asked: string[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const what = `${request.method ?? ""} ${request.url ?? ""}`;
    asked.push([what, request.headers.authorization ?? "", Buffer.concat(chunks).toString()].join(" ").trim());
    const [status, text] = answers[what] ?? [404, "no such page"];
    response.writeHead(status);
    response.end(text);
  });
});
const basic = `Basic ${Buffer.from("patroni:ü:x").toString("base64")}`;
let client: PatroniClient;

before(async () => {
  await once(server.listen(0), "listening");
  const { port } = server.address() as AddressInfo;
  client = new PatroniClient({ user: "patroni", password: "ü:x" }, `http://127.0.0.1:${port}`);
});
after(() => server.close());

test("a member that is not well still says how it is", async () => {
  assert.equal((await client.own()).state, "starting");
  assert.equal((await client.turning()).dcs_last_seen, 7);
});

test("a refusal to a question is an error, and so is what is no answer to it", async () => {
  await assert.rejects(client.cluster(), /Patroni answered 503 to \/cluster/);
  assert.equal((await client.configuration()).ttl, 20);
});

test("an address confirms by a good answer alone", async () => {
  assert.equal(await client.confirms("/primary", 500), true);
  assert.equal(await client.confirms("/replica", 500), false);
  assert.equal(await client.confirms("http://127.0.0.1:1/replica", 500), false);
});

test("orders come with a password, and what is said to them is told, good or bad", async () => {
  asked.length = 0;
  assert.equal(await client.restart(), "restart scheduled");
  assert.equal(await client.reinitialize(), "401: wrong password");
  assert.deepEqual(await client.switchOver("db-0", 500), { done: false, answer: "no good candidate" });
  assert.deepEqual(asked, [
    `POST /restart ${basic} {}`,
    `POST /reinitialize ${basic} {"force":true}`,
    `POST /switchover ${basic} {"leader":"db-0"}`,
  ]);
});

test("Patroni is woken by a change of its configuration that changes nothing", async () => {
  asked.length = 0;
  await client.wake();
  assert.deepEqual(asked, ["GET /config", `PATCH /config ${basic} {"ttl":20}`]);
});
