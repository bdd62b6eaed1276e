import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { newestOf } from "./rehearsal";

test("it is rehearsed with the newest backup of the version that is left: one of the target may be newer, where it was taken back", async () => {
  const backups = await mkdtemp(join(tmpdir(), "backups-"));
  try {
    for (const [label, major] of [
      ["shop-20260101T020000Z", "15"],
      ["shop-20260102T020000Z", "15"],
      ["shop-20260103T020000Z", "17"],
    ] as const) {
      await mkdir(join(backups, label));
      await writeFile(join(backups, label, "PG_VERSION"), `${major}\n`);
    }
    assert.equal(await newestOf(backups, "shop", "15"), "shop-20260102T020000Z");
    await assert.rejects(newestOf(backups, "shop", "16"), /no complete backup of shop with PostgreSQL 16 yet/);
  } finally {
    await rm(backups, { recursive: true });
  }
});
