import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { layOut, volumeOf } from "./files";
import { filesOf } from "./server-options";
import type { MemberSettings } from "./settings";

let directory: string;
let settings: MemberSettings;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "member-"));
  settings = {
    server: "mongod",
    database: "orders",
    namespace: "shop",
    self: "orders-0",
    ordinal: 0,
    domain: "orders-headless.shop.svc",
    serverPort: 27017,
    agentPort: 8009,
    metricsPort: undefined,
    volume: directory,
    runDirectory: directory,
    administratorPassword: "secret",
    keySecret: "another secret",
    startParameters: {},
  };
});
afterEach(() => rm(directory, { recursive: true }));

test("the members' key is a file that only its owner may read, written again before every start", async () => {
  const { key } = filesOf(settings);
  await layOut(settings, {});
  const first = await readFile(key, "utf8");
  await layOut(settings, {});
  assert.equal((await stat(key)).mode & 0o777, 0o400);
  assert.equal(await readFile(key, "utf8"), first);
});

test("a volume has no token until one is asked for, and then keeps it", async () => {
  const volume = volumeOf(settings);
  assert.equal(await volume.token(), undefined);
  const token = await volume.ensureToken();
  assert.match(token, /^[-0-9a-f]{36}$/);
  assert.equal(await volume.ensureToken(), token);
  assert.equal(await volumeOf(settings).token(), token);
});
