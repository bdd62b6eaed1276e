import assert from "node:assert/strict";
import test from "node:test";
import type { DatabaseOptions } from "../../args";
import { settingsOf } from "../../settings";
import { dynamicConfigurationOf, startParametersOf } from "./configuration";

const settingsWith = (wishes: Partial<DatabaseOptions>): ReturnType<typeof settingsOf> =>
  settingsOf("db", { namespace: "default", engine: "postgresql", version: "17.11", image: "image:1", ...wishes });

test("the order of a user's parameters does not change the configuration", () => {
  assert.equal(
    dynamicConfigurationOf(settingsWith({ config: { work_mem: "1MB", jit: "off" } })),
    dynamicConfigurationOf(settingsWith({ config: { jit: "off", work_mem: "1MB" } })),
  );
});

test("the configuration is spelled as Patroni spells it: compact and in ASCII", () => {
  const text = dynamicConfigurationOf(settingsWith({ config: { log_line_prefix: "é😀 " } }));
  assert.ok(text.includes(String.raw`"log_line_prefix":"\u00e9\ud83d\ude00 "`), text);
  assert.match(text, /^[\x20-\x7e]*$/);
});

/** The configuration as Patroni reads it. */
const configurationWith = (wishes: Partial<DatabaseOptions>): Record<string, unknown> =>
  JSON.parse(dynamicConfigurationOf(settingsWith(wishes))) as Record<string, unknown>;

/** What PostgreSQL does with a connection over the network: the first line that fits decides. */
function entryOf(wishes: Partial<DatabaseOptions>, user: string, roles: readonly string[] = []): string {
  const { pg_hba: lines } = configurationWith(wishes)["postgresql"] as { pg_hba: readonly string[] };
  const fits = (name: string): boolean => name === "all" || name === user || roles.some((role) => name === `+${role}`);
  const found = lines
    .map((line) => line.split(" "))
    .find(([type, database, name = ""]) => type === "host" && database === "all" && fits(name));
  return found?.at(-1) ?? "refused";
}

test("the superuser of a new cluster stays off the network unless it is let in; an older one is let in until it is shut out", () => {
  const marked = ["no_network"];
  assert.equal(entryOf({}, "postgres", marked), "reject");
  assert.equal(entryOf({}, "postgres"), "scram-sha-256");
  assert.equal(entryOf({ superuserAccess: "Local" }, "postgres", marked), "reject");
  assert.equal(entryOf({ superuserAccess: "Local" }, "postgres"), "reject");
  assert.equal(entryOf({ superuserAccess: "Network" }, "postgres", marked), "scram-sha-256");
  for (const superuserAccess of [undefined, "Local", "Network"] as const) {
    for (const user of ["app", "monitor", "replicator", "database_init"])
      assert.equal(entryOf({ superuserAccess }, user), "scram-sha-256", user);
  }
});

test("where TLS is required the network is for it alone, but for the exporter in the pod; otherwise nothing changes", () => {
  const linesWith = (wishes: Partial<DatabaseOptions>): readonly string[] =>
    (configurationWith(wishes)["postgresql"] as { pg_hba: readonly string[] }).pg_hba;
  assert.deepEqual(linesWith({ tls: "Prefer" }), linesWith({}));
  const plain = linesWith({ tls: "Require" }).filter((line) => line.startsWith("host ") && !line.endsWith(" reject"));
  assert.deepEqual(plain, ["host all monitor 127.0.0.1/32 scram-sha-256", "host all monitor ::1/128 scram-sha-256"]);
  const secured = linesWith({ tls: "Require" }).filter((line) => line.startsWith("hostssl "));
  assert.deepEqual(secured, ["hostssl replication replicator all scram-sha-256", "hostssl all all all scram-sha-256"]);
  for (const superuserAccess of ["Local", "Network"] as const)
    assert.ok(linesWith({ tls: "Require", superuserAccess }).indexOf("hostssl all all all scram-sha-256") > 0);
});

test("a server gets its certificate from the pod that has it, and not from what all members share", () => {
  for (const tls of ["Prefer", "Require"] as const) {
    assert.deepEqual(startParametersOf(settingsWith({ tls }))["ssl"], { value: "on", restart: true });
    const { parameters } = configurationWith({ tls })["postgresql"] as { parameters: Readonly<Record<string, string>> };
    assert.deepEqual(
      Object.keys(parameters).filter((name) => name.startsWith("ssl")),
      [],
    );
  }
  assert.equal(startParametersOf(settingsWith({}))["ssl"], undefined);
});

test("commits wait for a second member only where there is one, and for any one where there are several", () => {
  const modeOf = (wishes: Partial<DatabaseOptions>): unknown => configurationWith(wishes)["synchronous_mode"];
  assert.equal(modeOf({ synchronousCommit: true, replicas: 1 }), false);
  assert.equal(modeOf({ synchronousCommit: true, replicas: 2 }), true);
  assert.equal(modeOf({ synchronousCommit: true, replicas: 3 }), "quorum");
  assert.equal(modeOf({ synchronousCommit: true, replicas: 10 }), "quorum");
  assert.equal(modeOf({ replicas: 3 }), false);
});

test("how many others must have a commit, and whether there must be one, is said only where it differs from Patroni's defaults", () => {
  const detailsOf = (wishes: Partial<DatabaseOptions>): unknown[] => {
    const { synchronous_node_count: count, synchronous_mode_strict: strict } = configurationWith(wishes);
    return [count, strict];
  };
  const synchronousCommit = true;
  assert.deepEqual(detailsOf({ synchronousCommit }), [undefined, undefined]);
  assert.deepEqual(detailsOf({ synchronousCommit, synchronous: { members: 1, strict: false } }), [
    undefined,
    undefined,
  ]);
  assert.deepEqual(detailsOf({ synchronousCommit, synchronous: { members: 2 } }), [2, undefined]);
  assert.deepEqual(detailsOf({ synchronousCommit, replicas: 2, synchronous: { strict: true } }), [undefined, true]);
  assert.deepEqual(detailsOf({ synchronous: { members: 2, strict: true } }), [undefined, undefined]);
  assert.deepEqual(
    dynamicConfigurationOf(settingsWith({ synchronousCommit, synchronous: {} })),
    dynamicConfigurationOf(settingsWith({ synchronousCommit })),
  );
});

test("a crashed primary is replaced at once where that loses nothing, and given a minute where rows could be lost", () => {
  assert.equal(configurationWith({ synchronousCommit: true })["primary_start_timeout"], 0);
  assert.equal(configurationWith({ synchronousCommit: true, replicas: 1 })["primary_start_timeout"], 60);
  assert.equal(configurationWith({})["primary_start_timeout"], 60);
});

test("Patroni uses the primary's lease without adjusting it", () => {
  const { ttl, loop_wait, retry_timeout } = JSON.parse(dynamicConfigurationOf(settingsWith({}))) as Record<
    string,
    number
  >;
  assert.ok(loop_wait !== undefined && retry_timeout !== undefined && ttl !== undefined);
  assert.ok(ttl >= 20 && loop_wait + 2 * retry_timeout <= ttl);
});

test("members restart only for parameters that need a restart", () => {
  const before = startParametersOf(settingsWith({}));
  assert.deepEqual(startParametersOf(settingsWith({ config: { work_mem: "9MB" } })), before);
  assert.deepEqual(startParametersOf(settingsWith({ replicas: 5 })), before);
  const synchronous = { members: 2, strict: true };
  assert.deepEqual(startParametersOf(settingsWith({ synchronousCommit: true, synchronous })), before);
  assert.notDeepEqual(startParametersOf(settingsWith({ config: { max_connections: "300" } })), before);
});

test("what members share does not depend on a pod's size, except for what Patroni needs", () => {
  const shared = (wishes: Partial<DatabaseOptions>): Record<string, string> =>
    (configurationWith(wishes)["postgresql"] as { parameters: Record<string, string> }).parameters;
  const memory = (limit: string): Partial<DatabaseOptions> => ({ resources: { limits: { memory: limit, cpu: "4" } } });
  assert.deepEqual(shared(memory("64Gi")), shared(memory("1Gi")));
  assert.deepEqual(Object.keys(shared(memory("1Gi"))), [
    ...["max_connections", "max_replication_slots", "max_slot_wal_keep_size", "max_wal_senders", "max_wal_size"],
    ...["max_worker_processes", "min_wal_size", "recovery_init_sync_method", "unix_socket_directories"],
    ...["wal_keep_size", "wal_level", "wal_receiver_timeout", "wal_sender_timeout"],
  ]);
});

test("a user's value for a parameter that follows from the pod's size reaches running members, unless it needs a restart", () => {
  const config = { work_mem: "9MB", shared_buffers: "64MB", wal_buffers: "4MB" };
  const { parameters } = configurationWith({ config })["postgresql"] as { parameters: Record<string, string> };
  assert.equal(parameters["work_mem"], "9MB");
  assert.equal(parameters["shared_buffers"], undefined);
  assert.equal(parameters["wal_buffers"], undefined);
  const brought = startParametersOf(settingsWith({ config }));
  assert.deepEqual(brought["shared_buffers"], { value: "64MB", restart: true });
  assert.deepEqual(brought["wal_buffers"], { value: "4MB", restart: true });
  // the pod's own, for when the user says nothing more
  assert.deepEqual(brought["work_mem"], { value: "1310kB", restart: false });
});
