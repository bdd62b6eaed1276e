// What the restore Job does with what is on the data volume already.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { exists } from "../../disk";
import { restore } from "./main";

const label = "orders-20261121T020003Z";
const environment = process.env;
let [volume, data] = ["", ""];

beforeEach(async () => {
  const directory = await mkdtemp(join(tmpdir(), "restore-"));
  const backups = join(directory, "backups");
  const programs = join(directory, "programs");
  volume = join(directory, "data");
  data = join(volume, "pgdata");
  for (const one of [backups, programs, volume]) await mkdir(one);
  await writeFile(join(programs, "postgres"), "#!/bin/sh\necho 'postgres (PostgreSQL) 17.12'\n");
  await chmod(join(programs, "postgres"), 0o755);
  process.env = {
    ...environment,
    ...{ BACKUP_DIRECTORY: backups, BACKUP_LABEL: label, DATA_DIRECTORY: data },
    PATH: [programs, environment["PATH"]].join(delimiter),
  };
});
afterEach(async () => {
  process.env = environment;
  await rm(join(volume, ".."), { recursive: true });
});

test("what an attempt left that was cut off is gone before room is measured: it would count as in use", async () => {
  const left = join(volume, "restoring");
  await mkdir(left);
  await writeFile(join(left, "PG_VERSION"), "17\n");
  await assert.rejects(restore(), /the backup volume has no orders-20261121T020003Z/);
  assert.equal(await exists(left), false);
});

test("data that no restore put there are left, and not passed off as those of the backup", async () => {
  await mkdir(data);
  await writeFile(join(data, "PG_VERSION"), "17\n");
  await assert.rejects(restore(), /data already .* not those of orders-20261121T020003Z/);
  assert.equal(await readFile(join(data, "PG_VERSION"), "utf8"), "17\n");
});

test("an attempt that was cut off after its last step has succeeded", async () => {
  await mkdir(data);
  await writeFile(join(volume, ".restored"), label);
  await restore();
});

test("data that were put there before another major version was asked for are not passed off as those of its server", async () => {
  await mkdir(data);
  await writeFile(join(data, "PG_VERSION"), "15\n");
  await writeFile(join(volume, ".restored"), label);
  await assert.rejects(restore(), /of PostgreSQL 15, and the image of PostgreSQL 17: write a version of 15/);
});
