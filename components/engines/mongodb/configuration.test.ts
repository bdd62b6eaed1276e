import assert from "node:assert/strict";
import test from "node:test";
import { credentialsOf } from "../../credentials";
import type { DatabaseOptions } from "../../args";
import { settingsOf } from "../../settings";
import { mongodb } from "../mongodb";
import { parameterProblems } from "./parameters";
import { parametersOf, startParametersOf } from "./configuration";

const settingsWith = (wishes: Partial<DatabaseOptions> = {}): ReturnType<typeof settingsOf> =>
  settingsOf("orders", { namespace: "shop", engine: "mongodb", version: "7.0", image: "image:1", ...wishes });

const cache = "storage.wiredTiger.engineConfig.cacheSizeGB";

test("the connection string names every member and the replica set, and survives every character of a password", () => {
  const { uri, password } = credentialsOf(settingsWith({ replicas: 3 }), mongodb, "p@ss:w/rd %?#é");
  const hosts = [0, 1, 2].map((ordinal) => `orders-${ordinal}.orders-headless.shop.svc:27017`).join(",");
  assert.equal(uri, `mongodb://app:${encodeURIComponent(password ?? "")}@${hosts}/app?replicaSet=orders`);
});

for (const [memory, expected] of [
  ["512Mi", "0.25"],
  ["1Gi", "0.25"],
  ["4Gi", "1.5"],
  ["9Gi", "4"],
] as const) {
  test(`of ${memory} the server's cache takes ${expected} GiB`, () => {
    assert.equal(parametersOf(settingsWith({ resources: { limits: { memory } } }))[cache], expected);
  });
}

test("without memory in resources the server decides itself, and a user's value wins over ours", () => {
  assert.equal(parametersOf(settingsWith({ resources: {} }))[cache], undefined);
  assert.equal(parametersOf(settingsWith({ config: { [cache]: "2" } }))[cache], "2");
});

test("a restore, an import or a drill makes collections that are compressed as those of members will be", () => {
  const compressor = "storage.wiredTiger.collectionConfig.blockCompressor";
  const server = { host: "old-db", port: 27017, databases: ["shop"], credentials: "old-db", tls: "Verify" } as const;
  for (const origin of [{ claim: "orders-backup", label: "orders-20261121T020003Z" }, { server }]) {
    const compressorOf = (wishes: Partial<DatabaseOptions>): unknown =>
      mongodb.restoreProgram(settingsWith(wishes), origin)?.env?.["BLOCK_COMPRESSOR"];
    assert.equal(compressorOf({ config: { [compressor]: "zstd" } }), "zstd");
    assert.equal(compressorOf({}), undefined);
  }
  const inDrill = (wishes: Partial<DatabaseOptions>): unknown =>
    mongodb.verifyProgram(settingsWith(wishes)).env?.["BLOCK_COMPRESSOR"];
  assert.equal(inDrill({ config: { [compressor]: "zstd" } }), "zstd");
  assert.equal(inDrill({}), undefined);
});

test("members restart only for parameters that need a restart", () => {
  const before = startParametersOf(settingsWith());
  assert.deepEqual(startParametersOf(settingsWith({ config: { cursorTimeoutMillis: "1" } })), before);
  assert.deepEqual(startParametersOf(settingsWith({ replicas: 7 })), before);
  assert.notDeepEqual(startParametersOf(settingsWith({ config: { "operationProfiling.mode": "all" } })), before);
});

const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
  [{ "net.port": "1" }, /cannot be set: .*Services/],
  [{ "net.bindIp": "127.0.0.1" }, /cannot be set/],
  [{ "replication.replSetName": "x" }, /members agree/],
  [{ "replication.oplogSizeMB": "1000" }, /replSetResizeOplog/],
  [{ "security.authorization": "disabled" }, /trust/],
  [{ "security.keyFile": "/x" }, /trust/],
  [{ enableLocalhostAuthBypass: "false" }, /trust/],
  [{ "storage.dbPath": "/x" }, /existing data/],
  [{ "systemLog.path": "/x" }, /container's output/],
  [{ "setParameter.notablescan": "true" }, /name alone/],
  [{ cursorTimeoutMilis: "1" }, /not a settable parameter/],
  [{ constructor: "1" }, /not a settable parameter/],
  [{ cursorTimeoutMillis: "soon" }, /must be a whole number/],
  [{ cursorTimeoutMillis: "0" }, /at least 1/],
  [{ [cache]: "0.1" }, /at least 0\.25/],
  [{ ttlMonitorEnabled: "on" }, /"true" or "false"/],
  [{ notablescan: "true" }, /cannot be set: queries of the members' own programs/],
  [{ maxSessions: "1" }, /at least 1000: every connection/],
  [{ "net.maxIncomingConnections": "5" }, /at least 50: members/],
  [{ "operationProfiling.mode": "sometimes" }, /one of off, slowOp, all/],
];
for (const [config, message] of refused) {
  test(`${JSON.stringify(config)} is refused with a message that says what to do`, () => {
    const [problem, ...others] = parameterProblems(config);
    assert.match(problem?.message ?? "", message);
    assert.deepEqual(others, []);
  });
}
