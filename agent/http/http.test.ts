import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { ask } from "./ask";
import { exchange } from "./exchange";
import { serve } from "./server";

let isReady = false;
let server: Awaited<ReturnType<typeof serve>>;
let port: number;

before(async () => {
  server = await serve(0, { isReady: () => isReady, report: () => ({ name: "db-0" }) });
  port = (server.address() as AddressInfo).port;
});
after(() => server.close());

const statusOf = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}${path}`)).status;

test("an agent is alive as long as it answers, ready or not", async () => {
  assert.deepEqual([await statusOf("/liveness"), await statusOf("/readiness")], [200, 503]);
  isReady = true;
  assert.deepEqual([await statusOf("/liveness"), await statusOf("/readiness")], [200, 200]);
  assert.equal(await statusOf("/elsewhere"), 404);
});

test("agents ask each other, and a malformed answer counts as none", async () => {
  assert.deepEqual(await ask("127.0.0.1", port, "/report", 1_000), { name: "db-0" });
  assert.equal(await ask("127.0.0.1", port, "/readiness", 1_000), undefined);
  assert.equal(await ask("127.0.0.1", 1, "/report", 1_000), undefined);
  assert.equal(await ask("host.invalid", port, "/report", 200), undefined);
});

test("an exchange hands back what is answered, good or bad, and throws where nothing is in time", async (t) => {
  const withinMs = 500;
  const url = (path: string): URL => new URL(path, `http://127.0.0.1:${port}`);
  isReady = false;
  assert.deepEqual(await exchange({ method: "GET", url: url("/readiness"), withinMs }), {
    status: 503,
    text: "not ready",
  });
  await assert.rejects(exchange({ method: "GET", url: new URL("http://127.0.0.1:1/"), withinMs }), /ECONNREFUSED/);
  const silent = createServer(() => undefined).listen(0);
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  await once(silent, "listening");
  const { port: itsPort } = silent.address() as AddressInfo;
  await assert.rejects(
    exchange({ method: "POST", url: new URL(`http://127.0.0.1:${itsPort}/`), body: "{}", withinMs: 50 }),
    /abort/i,
  );
});
