import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf, type Wishes } from "../../settings";
import { dynamicConfigurationOf, mebibytesOf, parametersOf, restartParametersOf } from "./patroni";

const settingsWith = (wishes: Partial<Wishes>): ReturnType<typeof settingsOf> =>
  settingsOf("db", { namespace: "default", engine: "postgresql", version: "17.11", image: "image:1", ...wishes });

test("a quarter of the memory limit becomes shared buffers", () => {
  const parameters = parametersOf(settingsWith({ resources: { limits: { memory: "4Gi" } } }));
  assert.equal(parameters["shared_buffers"], "1024MB");
  assert.equal(parameters["effective_cache_size"], "3072MB");
});

test("without a limit the request counts, and without both the server's own defaults", () => {
  assert.equal(parametersOf(settingsWith({ resources: { requests: { memory: "1Gi" } } }))["shared_buffers"], "256MB");
  assert.equal(parametersOf(settingsWith({ resources: {} }))["shared_buffers"], undefined);
});

test("a user's parameter wins over a computed one", () => {
  assert.equal(parametersOf(settingsWith({ config: { shared_buffers: "64MB" } }))["shared_buffers"], "64MB");
});

test("memory is read in all of Kubernetes' usual spellings", () => {
  const read = ["1Gi", "512Mi", "1048576Ki", "1073741824", "1G", "1.5Gi", "1e9", "lots"].map(mebibytesOf);
  assert.deepEqual(
    read.map((mebibytes) => mebibytes && Math.floor(mebibytes)),
    [1024, 512, 1024, 1024, 953, 1536, undefined, undefined],
  );
});

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

test("commits wait for a second member only where there is one", () => {
  const isSynchronous = (wishes: Partial<Wishes>): boolean =>
    dynamicConfigurationOf(settingsWith(wishes)).includes('"synchronous_mode":true');
  assert.ok(isSynchronous({ synchronousCommit: true, replicas: 2 }));
  assert.ok(!isSynchronous({ synchronousCommit: true, replicas: 1 }));
  assert.ok(!isSynchronous({ replicas: 3 }));
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
