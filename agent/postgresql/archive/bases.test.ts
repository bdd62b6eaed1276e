import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { fillBase } from "../../../test/fakes/postgresql/kept-wal";
import { basesOf, clustersOf, rangesIn } from "./bases";

let backups = "";
beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "bases-"));
});
afterEach(() => rm(backups, { recursive: true }));

// as pg_basebackup of 15 and of 18 ends its manifest
const end = `"Last-Modified": "2026-11-27 10:00:00 GMT", "Checksum-Algorithm": "CRC32C", "Checksum": "8f5b2a11" }
],
"WAL-Ranges": [
{ "Timeline": 2, "Start-LSN": "0/6000110", "End-LSN": "0/7000158" },
{ "Timeline": 1, "Start-LSN": "0/5000028", "End-LSN": "0/6000110" }
],
"Manifest-Checksum": "5a1e"}
`;

test("a manifest says by timeline which WAL its backup has", () => {
  assert.deepEqual(rangesIn(end), [
    { timeline: 1, start: "0/5000028", end: "0/6000110" },
    { timeline: 2, start: "0/6000110", end: "0/7000158" },
  ]);
  assert.deepEqual(rangesIn("{}"), []);
});

test("backups of one cluster are found from old to new, with where they begin and end; one without a manifest is none", async () => {
  await fillBase(backups, { label: "shop-20261122T020000Z", cluster: "77", end: [2, "0/7000158"], start: "0/6000028" });
  await fillBase(backups, { label: "shop-20261121T020000Z", cluster: "77", end: [1, "0/5000158"], start: "0/5000028" });
  await fillBase(backups, { label: "shop-20261123T020000Z", cluster: "78", end: [1, "0/5000158"], start: "0/5000028" });
  await mkdir(join(backups, "shop-20261124T020000Z"));
  const at = new Date("2026-11-22T02:01:00.300Z");
  await utimes(join(backups, "shop-20261122T020000Z", "backup_manifest"), at, at);
  const found = await basesOf(backups, "shop", "77");
  assert.deepEqual(
    found.map(({ label, end: { timeline, position, lsn } }) => [label, timeline, position, lsn]),
    [
      ["shop-20261121T020000Z", 1, 5, "0/5000158"],
      ["shop-20261122T020000Z", 2, 7, "0/7000158"],
    ],
  );
  assert.deepEqual(
    [found[1]?.completedAt, found[1]?.first],
    ["2026-11-22T02:01:01Z", { timeline: 2, position: 6 }],
    "never before it was whole",
  );
  assert.equal(await clustersOf(backups, "shop"), undefined, "that of one cannot be told");
  await writeFile(join(backups, "shop-20261124T020000Z", "PG_VERSION"), "18");
  await rm(join(backups, "shop-20261124T020000Z"), { recursive: true });
  assert.deepEqual(await clustersOf(backups, "shop"), new Set(["77", "78"]));
});
