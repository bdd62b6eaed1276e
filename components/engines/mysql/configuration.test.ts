import assert from "node:assert/strict";
import test from "node:test";
import type { DatabaseOptions } from "../../args";
import { settingsOf } from "../../settings";
import type { StartParameters } from "../engine";
import { memberConfigurationOf, redoLogBytesOf, startParametersOf } from "./configuration";

const settingsWith = (wishes: Partial<DatabaseOptions>): ReturnType<typeof settingsOf> =>
  settingsOf("db", { namespace: "default", engine: "mysql", version: "9.7", image: "image:1", ...wishes });

/** What a member has: what came with its pod, and over it what running members apply. */
function valueIn(wishes: Partial<DatabaseOptions>, name: string): string | number | undefined {
  const settings = settingsWith(wishes);
  const { parameters } = JSON.parse(memberConfigurationOf(settings)) as { parameters: StartParameters };
  return { ...startParametersOf(settings), ...parameters }[name]?.value;
}

const memory = (limit: string): Partial<DatabaseOptions> => ({ resources: { limits: { memory: limit } } });
const mebibytes = (wishes: Partial<DatabaseOptions>, name: string): number => Number(valueIn(wishes, name)) / 1024 ** 2;

test("what the server itself needs is left out before the buffer pool gets its share of the memory", () => {
  const pools = ["512Mi", "1Gi", "2Gi", "8Gi"].map((limit) => mebibytes(memory(limit), "innodb_buffer_pool_size"));
  assert.deepEqual(pools, [67, 256, 896, 4608]);
});

test("pool, redo log and messages never exceed two thirds of the memory", () => {
  for (const limit of [512, 768, 1024, 2048, 4096, 16_384, 65_536]) {
    const wishes = memory(`${limit}Mi`);
    const pool = mebibytes(wishes, "innodb_buffer_pool_size");
    const messages = mebibytes(wishes, "group_replication_message_cache_size");
    assert.ok(pool + messages <= (limit * 2) / 3, `${limit}: ${pool} and ${messages}`);
  }
});

test("without a limit the request counts, and without both the least", () => {
  assert.equal(mebibytes({ resources: { requests: { memory: "2Gi" } } }, "innodb_buffer_pool_size"), 896);
  assert.equal(mebibytes({ resources: {} }, "innodb_buffer_pool_size"), 67);
});

test("a user's parameter wins over a computed one, as the server takes it", () => {
  assert.equal(valueIn({ config: { innodb_buffer_pool_size: "1G" } }, "innodb_buffer_pool_size"), 1024 ** 3);
  assert.equal(valueIn({ config: { slow_query_log: "true" } }, "slow_query_log"), "ON");
  assert.equal(valueIn({ config: { transaction_isolation: "serializable" } }, "transaction_isolation"), "SERIALIZABLE");
});

test("no account takes all connections, unless the user says so", () => {
  assert.equal(valueIn({ config: { max_connections: "100" } }, "max_user_connections"), 80);
  assert.equal(valueIn({ config: { max_connections: "1K" } }, "max_user_connections"), 1004);
  const both = { max_connections: "100", max_user_connections: "0" };
  assert.equal(valueIn({ config: both }, "max_user_connections"), 0);
});

test("a member with little memory keeps fewer statement digests", () => {
  assert.equal(valueIn(memory("1Gi"), "performance_schema_digests_size"), 500);
  assert.equal(valueIn(memory("2Gi"), "performance_schema_digests_size"), undefined);
});

test("the order of a user's parameters does not change the configuration", () => {
  const config = { back_log: "100", long_query_time: "3" };
  const reversed = Object.fromEntries(Object.entries(config).reverse());
  assert.equal(
    memberConfigurationOf(settingsWith({ config })),
    memberConfigurationOf(settingsWith({ config: reversed })),
  );
});

test("members restart only for parameters that need a restart", () => {
  const before = startParametersOf(settingsWith({}));
  assert.deepEqual(startParametersOf(settingsWith({ config: { long_query_time: "3" } })), before);
  assert.deepEqual(startParametersOf(settingsWith({ replicas: 5 })), before);
  assert.notDeepEqual(startParametersOf(settingsWith({ config: { back_log: "100" } })), before);
});

test("what running members apply does not depend on a pod's size", () => {
  const small = memberConfigurationOf(settingsWith(memory("1Gi")));
  assert.equal(memberConfigurationOf(settingsWith(memory("64Gi"))), small);
  const chosen = settingsWith({ ...memory("64Gi"), config: { innodb_buffer_pool_size: "1G", back_log: "100" } });
  const { parameters } = JSON.parse(memberConfigurationOf(chosen)) as { parameters: Record<string, unknown> };
  assert.deepEqual(Object.keys(parameters), [
    "binlog_expire_logs_seconds",
    "innodb_buffer_pool_size",
    "log_bin_trust_function_creators",
    "max_binlog_size",
  ]);
});

test("a pod carries the parameters that need a restart, and the limits that follow from its size", () => {
  const brought = startParametersOf(
    settingsWith({ ...memory("1Gi"), config: { back_log: "100", long_query_time: "3", max_connections: "500" } }),
  );
  assert.deepEqual(brought["back_log"], { value: 100, restart: true });
  assert.equal(brought["long_query_time"], undefined);
  assert.deepEqual(brought["max_connections"], { value: 128, restart: false });
  assert.deepEqual(brought["innodb_buffer_pool_size"], { value: 256 * 1024 ** 2, restart: false });
});

test("members learn from where the superuser may connect only where the spec says it", () => {
  const toldWith = (wishes: Partial<DatabaseOptions>): unknown =>
    (JSON.parse(memberConfigurationOf(settingsWith(wishes))) as { superuserAccess?: unknown }).superuserAccess;
  assert.equal(toldWith({}), undefined);
  assert.equal(toldWith({ superuserAccess: "Local" }), "Local");
});

test("the room of a redo log is that of the size of a member, or as its parameter says", () => {
  const mebibyte = 1024 ** 2;
  assert.equal(redoLogBytesOf(settingsWith({ resources: { limits: { memory: "4Gi" } } })), 1088 * mebibyte);
  assert.equal(redoLogBytesOf(settingsWith({ config: { innodb_redo_log_capacity: "3G" } })), 3072 * mebibyte);
});
