import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf, type Wishes } from "../../settings";
import { dynamicConfigurationOf, restartParametersOf } from "./patroni";

const settingsWith = (wishes: Partial<Wishes>): ReturnType<typeof settingsOf> =>
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
const configurationWith = (wishes: Partial<Wishes>): Record<string, unknown> =>
  JSON.parse(dynamicConfigurationOf(settingsWith(wishes))) as Record<string, unknown>;

test("commits wait for a second member only where there is one, and for any one where there are several", () => {
  const modeOf = (wishes: Partial<Wishes>): unknown => configurationWith(wishes)["synchronous_mode"];
  assert.equal(modeOf({ synchronousCommit: true, replicas: 1 }), false);
  assert.equal(modeOf({ synchronousCommit: true, replicas: 2 }), true);
  assert.equal(modeOf({ synchronousCommit: true, replicas: 3 }), "quorum");
  assert.equal(modeOf({ synchronousCommit: true, replicas: 10 }), "quorum");
  assert.equal(modeOf({ replicas: 3 }), false);
});

test("a crashed primary is replaced at once where nothing is lost by it, and given a minute where rows could be", () => {
  assert.equal(configurationWith({ synchronousCommit: true })["primary_start_timeout"], 0);
  assert.equal(configurationWith({ synchronousCommit: true, replicas: 1 })["primary_start_timeout"], 60);
  assert.equal(configurationWith({})["primary_start_timeout"], 60);
});

test("the lease of the primary is one that Patroni takes over without adjusting it", () => {
  const { ttl, loop_wait, retry_timeout } = JSON.parse(dynamicConfigurationOf(settingsWith({}))) as Record<
    string,
    number
  >;
  assert.ok(loop_wait !== undefined && retry_timeout !== undefined && ttl !== undefined);
  assert.ok(ttl >= 20 && loop_wait + 2 * retry_timeout <= ttl);
});

test("members restart for parameters of the server's start and for no others", () => {
  const before = restartParametersOf(settingsWith({}));
  assert.deepEqual(restartParametersOf(settingsWith({ config: { work_mem: "9MB" } })), before);
  assert.deepEqual(restartParametersOf(settingsWith({ replicas: 5 })), before);
  assert.notDeepEqual(restartParametersOf(settingsWith({ config: { max_connections: "300" } })), before);
});
