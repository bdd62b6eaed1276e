import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { DatabaseOptions } from "../../args";
import { settingsOf } from "../../settings";
import { parameterProblems } from "./parameters";
import { parametersOf } from "./configuration";
import { sizedParameters, sizedParametersOf } from "./sizes";
import { mebibytesOf } from "../../quantities";

const settingsWith = (wishes: Partial<DatabaseOptions>): ReturnType<typeof settingsOf> =>
  settingsOf("db", { namespace: "default", engine: "postgresql", version: "17.11", image: "image:1", ...wishes });
const sizedWith = (wishes: Partial<DatabaseOptions>): Record<string, string> => sizedParametersOf(settingsWith(wishes));

test("a member of 4 GiB, 4 processors and 100 GiB", () => {
  const resources = { requests: { cpu: "2" }, limits: { cpu: "4", memory: "4Gi" } };
  assert.deepEqual(sizedWith({ resources, storage: "100Gi" }), {
    shared_buffers: "1024MB",
    effective_cache_size: "3072MB",
    maintenance_work_mem: "256MB",
    work_mem: "10485kB",
    max_worker_processes: "8",
    max_parallel_workers: "4",
    max_parallel_workers_per_gather: "2",
    max_parallel_maintenance_workers: "2",
    max_wal_size: "2048MB",
    min_wal_size: "512MB",
    max_slot_wal_keep_size: "25600MB",
    wal_keep_size: "1024MB",
  });
});

test("without a limit the request counts, and without both the server's own defaults", () => {
  assert.equal(sizedWith({ resources: { requests: { memory: "1Gi" } } })["shared_buffers"], "256MB");
  const sized = sizedWith({ resources: {} });
  assert.equal(sized["shared_buffers"], undefined);
  assert.equal(sized["max_parallel_workers"], undefined);
  assert.equal(sized["max_wal_size"], "1024MB");
});

test("more connections leave less to each, and what the user says of one parameter holds for it", () => {
  const resources = { limits: { memory: "4Gi" } };
  assert.equal(sizedWith({ resources, config: { max_connections: "400" } })["work_mem"], "2621kB");
  const parameters = parametersOf(settingsWith({ resources, config: { work_mem: "9MB", shared_buffers: "64MB" } }));
  assert.equal(parameters["work_mem"], "9MB");
  assert.equal(parameters["shared_buffers"], "64MB");
});

const sizes = ["128Mi", "512Mi", "4Gi", "1Ti"].flatMap((memory) =>
  ["100m", "3", "128"].flatMap((cpu) => ["1Gi", "10Gi", "16384Gi"].map((storage) => ({ memory, cpu, storage }))),
);

for (const { memory, cpu, storage } of sizes) {
  const sized = sizedWith({ resources: { limits: { memory, cpu } }, storage });
  const mebibytes = (name: string): number => mebibytesOf((sized[name] ?? "").replace("MB", "Mi")) ?? NaN;

  test(`every server accepts what follows from ${memory}, ${cpu} CPUs and ${storage}`, () => {
    for (const version of ["15.18", "17.11", "18.1"]) assert.deepEqual(parameterProblems(sized, version), []);
  });

  test(`WAL leaves most of a volume of ${storage} to data (${memory}, ${cpu} CPUs)`, () => {
    const volume = mebibytesOf(storage) ?? NaN;
    assert.ok(
      mebibytes("max_wal_size") + Math.max(mebibytes("max_slot_wal_keep_size"), mebibytes("wal_keep_size")) <
        0.4 * volume,
    );
    assert.ok(mebibytes("min_wal_size") <= mebibytes("max_wal_size") / 2);
  });
}

test("the table in the documentation matches the code", () => {
  const page = readFileSync(join(__dirname, "../../../docs/databases/postgresql.md"), "utf8").replace(/ +/g, " ");
  for (const { name, rule, reason } of sizedParameters) {
    assert.ok(page.includes(`| \`${name}\` | ${rule} | ${reason} |`), `${name} differs from the code`);
  }
});
