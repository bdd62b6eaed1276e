import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { backupName } from "../../backup-volume";
import type { Retention } from "../../backups";
import { writeManifest } from "./manifest";
import { backupsIn, listOf, surplus, type Backup } from "./retention";

const backup = (name: string, group?: string): Backup => ({ name, bytes: 1024 ** 2, group });

const wanted = (newest: string, retention: number): Retention => ({ newest, retention, kept: new Set() });

test("a backup is named after the second in which it began", () => {
  assert.equal(backupName("db", new Date("2031-02-03T04:05:06.789Z")), "db-20310203T040506Z");
});

test("the oldest go, the newest stays, whatever the retention", () => {
  const all = ["a", "b", "c", "d"].map((name) => backup(name, "g"));
  assert.deepEqual(surplus(all, wanted("d", 2)), ["a", "b"]);
  assert.deepEqual(surplus(all, wanted("d", 1)), ["a", "b", "c"]);
  assert.deepEqual(surplus(all, wanted("d", 9)), []);
});

test("backups of another group, or of an unknown one, stay", () => {
  const all = [backup("a", "old"), backup("b"), backup("c", "g"), backup("d", "g")];
  assert.deepEqual(surplus(all, wanted("d", 1)), ["c"]);
  assert.deepEqual(surplus(all, wanted("b", 1)), []);
  const lines = listOf(all, "g");
  assert.match(lines[0] ?? "", /of another group, old: kept until you remove it/);
  assert.match(lines[1] ?? "", /of an unknown group/);
  assert.equal(lines[3], "  d  1.0 MiB");
});

test("only directories with a complete name are backups, also beside those of a database with a longer name", async () => {
  const directory = await mkdtemp(join(tmpdir(), "backups-"));
  const names = [
    "db-20310203T040506Z",
    "db-x-20310203T040506Z",
    ".partial-db-20310203T040507Z",
    "db-1",
    "db-20310101T000000Z",
  ];
  for (const name of names) await mkdir(join(directory, name));
  await writeFile(join(directory, "db-20320101T000000Z"), "a file");
  await writeFile(join(directory, "db-20310203T040506Z", "dump.sql.gz"), "12345");
  const found = await backupsIn(directory, "db");
  await rm(directory, { recursive: true });
  assert.deepEqual(found, [
    { name: "db-20310101T000000Z", bytes: 0, group: undefined },
    { name: "db-20310203T040506Z", bytes: 5, group: undefined },
  ]);
});

test("of a copy its summary is enough: neither its files nor their checksums are read", async () => {
  const directory = await mkdtemp(join(tmpdir(), "backups-"));
  const name = "db-20310101T000000Z";
  await mkdir(join(directory, name, "data", "app"), { recursive: true });
  await writeFile(join(directory, name, "data", "app", "t.ibd"), "12345");
  const files = { "app/t.ibd": { bytes: 1024, sha256: "" } };
  const copiedAt = "2031-01-01T00:00:09.001Z";
  const manifest = { group: "g", server: "9.7.4", transactions: "", copiedAt, bytes: 1024, files };
  await writeManifest(join(directory, name), manifest);
  await rm(join(directory, name, "manifest.json"));
  const completedAt = "2031-01-01T00:00:10Z";
  assert.deepEqual(await backupsIn(directory, "db"), [{ name, bytes: 1024, group: "g", completedAt }]);
  await rm(join(directory, name, "summary.json"));
  assert.deepEqual(await backupsIn(directory, "db"), [{ name, bytes: 5, group: undefined }]);
  await rm(directory, { recursive: true });
});
