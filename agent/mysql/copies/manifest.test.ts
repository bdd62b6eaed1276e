import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import {
  bytesOf,
  checksumsOf,
  damageIn,
  groupOf,
  manifestOf,
  summaryOf,
  writeManifest,
  type Manifest,
} from "./manifest";

let backup = "";

beforeEach(async () => {
  backup = await mkdtemp(join(tmpdir(), "backup-"));
  await mkdir(join(backup, "data", "app"), { recursive: true });
  await writeFile(join(backup, "data", "app", "items.ibd"), "rows");
  await writeFile(join(backup, "data", "ibdata1"), "");
});
afterEach(() => rm(backup, { recursive: true }));

async function manifest(): Promise<Manifest> {
  const files = await checksumsOf(join(backup, "data"));
  return { group: "g", server: "9.7.4", transactions: "u:1-3", bytes: bytesOf(files), files };
}

test("a manifest says of each file how large it is and what is in it", async () => {
  const written = await manifest();
  assert.deepEqual(Object.keys(written.files), ["app/items.ibd", "ibdata1"]);
  assert.equal(written.bytes, 4);
  await writeManifest(backup, written);
  assert.deepEqual(await manifestOf(backup), written);
});

test("a file that is missing, added, or changed by a byte is damage, and named", async () => {
  const written = await manifest();
  const damage = async (): Promise<string | undefined> => damageIn(await checksumsOf(join(backup, "data")), written);
  assert.equal(await damage(), undefined);
  await writeFile(join(backup, "data", "app", "items.ibd"), "rowt");
  assert.equal(await damage(), "app/items.ibd has other contents");
  await rm(join(backup, "data", "app", "items.ibd"));
  assert.equal(await damage(), "app/items.ibd is missing");
  await writeFile(join(backup, "data", "app", "items.ibd"), "rows");
  await writeFile(join(backup, "data", "more"), "");
  assert.equal(await damage(), "more is no file of it");
});

test("of a dump the group is known, and it is no backup of files", async () => {
  const dump = { group: "g", server: "9.7.4", transactions: "", databases: ["app"], bytes: 1, sha256: "x" };
  await writeFile(join(backup, "manifest.json"), JSON.stringify(dump));
  assert.deepEqual([await groupOf(backup), await manifestOf(backup)], ["g", undefined]);
  await writeFile(join(backup, "manifest.json"), "{");
  assert.equal(await groupOf(backup), undefined);
});

test("what cannot be read is not taken for a backup of which nothing is known", async () => {
  await mkdir(join(backup, "summary.json"));
  await assert.rejects(summaryOf(backup), /EISDIR/);
});
