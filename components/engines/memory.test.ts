import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf } from "../settings";
import type { EngineName } from "../../contract/engines";
import { engineOf } from "./available";
import { samples } from "../../test/engines/all";

type Config = Readonly<Record<string, string>>;

function problemsOf(engine: EngineName, limit: string | undefined, config: Config): string[] {
  const resources = { requests: { memory: "128Mi" }, ...(limit !== undefined && { limits: { memory: limit } }) };
  const wishes = { namespace: "shop", engine, version: samples[engine].version, image: "i", config, resources };
  return engineOf(engine)
    .memoryProblems(settingsOf("orders", wishes))
    .map(({ message }) => message);
}

const tooMuch: [engine: EngineName, limit: string, config: Config, says: RegExp][] = [
  [
    "postgresql",
    "512Mi",
    { shared_buffers: "1TB" },
    /^parameter "shared_buffers" is "1TB": the server would need 1048576Mi of memory or more, and the limit of a member is 512Mi: lower it, or raise spec\.resources\.limits\.memory$/,
  ],
  ["postgresql", "1Gi", { shared_buffers: "131073" }, /"shared_buffers" is "131073": .* need 1025Mi/],
  ["postgresql", "1Gi", { shared_buffers: "1GB", max_connections: "200" }, /"shared_buffers" is "1GB"/],
  ["postgresql", "4Gi", { max_connections: "250000" }, /"max_connections" is "250000": .*limit of a member is 4Gi/],
  ["postgresql", "512Mi", { max_locks_per_transaction: "2147483647" }, /"max_locks_per_transaction" is/],
  ["postgresql", "512Mi", { max_locks_per_transaction: "100000", max_connections: "200" }, /"max_locks_per_transa/],
  ["postgresql", "512Mi", { max_pred_locks_per_transaction: "2147483647" }, /"max_pred_locks_per_transaction"/],
  ["postgresql", "512Mi", { max_prepared_transactions: "100000" }, /"max_prepared_transactions"/],
  ["postgresql", "512Mi", { track_activity_query_size: "1MB", max_connections: "1000" }, /"track_activity_query_size"/],
  ["postgresql", "512Mi", { min_dynamic_shared_memory: "1GB" }, /"min_dynamic_shared_memory"/],
  ["mysql", "1Gi", { innodb_buffer_pool_size: "4000G" }, /"innodb_buffer_pool_size" is "4000G": .* 4096000Mi .* 1Gi/],
  ["mysql", "1Gi", { innodb_buffer_pool_size: "900M", innodb_log_buffer_size: "256M" }, /"innodb_buffer_pool_size"/],
  ["mongodb", "1Gi", { "storage.wiredTiger.engineConfig.cacheSizeGB": "1.5" }, /cacheSizeGB" is "1.5": .* 1536Mi/],
];

for (const [engine, limit, config, says] of tooMuch) {
  test(`${engine} with ${limit} has no room for ${JSON.stringify(config)}`, () => {
    const [problem = "", ...others] = problemsOf(engine, limit, config);
    assert.match(problem, says);
    assert.deepEqual(others, []);
  });
}

const generous: [engine: EngineName, limit: string | undefined, config: Config][] = [
  ["postgresql", "512Mi", {}],
  ["postgresql", "64Mi", { work_mem: "1GB", maintenance_work_mem: "2TB", effective_cache_size: "10TB" }],
  ["postgresql", "1Gi", { shared_buffers: "1000MB" }],
  ["postgresql", "512Mi", { max_connections: "5000" }],
  ["postgresql", "512Mi", { max_connections: "1000", max_locks_per_transaction: "1024" }],
  ["postgresql", "512Mi", { wal_buffers: "-1" }],
  ["postgresql", undefined, { shared_buffers: "1TB" }],
  ["mysql", "1Gi", {}],
  ["mysql", "1Gi", { innodb_buffer_pool_size: "800M", tmp_table_size: "64G" }],
  ["mysql", undefined, { innodb_buffer_pool_size: "4000G" }],
  ["mongodb", "1Gi", { "storage.wiredTiger.engineConfig.cacheSizeGB": "0.9" }],
];

for (const [engine, limit, config] of generous) {
  test(`${engine} with ${limit ?? "no limit"} may have ${JSON.stringify(config)}`, () => {
    assert.deepEqual(problemsOf(engine, limit, config), []);
  });
}
