import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { ask } from "./ask";
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
