import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { requireRoom } from "./room";

test("a volume without room for the files is refused before anything is copied, and nothing of the look is left", async () => {
  const volume = await mkdtemp(join(tmpdir(), "room-"));
  try {
    const [work, files] = [join(volume, "upgrading"), join(volume, "pgdata")];
    await mkdir(work);
    await mkdir(files);
    await writeFile(join(files, "PG_VERSION"), "15\n");
    await writeFile(join(files, "table"), Buffer.alloc(4 * 1024 ** 2, 1));
    const of = (free: number): ReturnType<typeof requireRoom> =>
      requireRoom({ volume, work }, files, () => Promise.resolve({ free, total: 1024 ** 4 }));
    await of(1024 ** 3);
    await assert.rejects(of(1024 ** 2), /the volume has 1 MiB free: write a larger storage/);
    assert.deepEqual(await readdir(work), []);
  } finally {
    await rm(volume, { recursive: true });
  }
});
