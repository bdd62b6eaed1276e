import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { layoutOf } from "../layout";
import { removeHostPathVolumes } from "./host-path";

test("the volumes that etcd knows of are removed, those of other clusters are not", async () => {
  const layout = layoutOf(await mkdtemp(join(tmpdir(), "host-path-")));
  const [own, other] = [randomUUID(), randomUUID()].map((id) => `/tmp/hostpath_pv/${id}`) as [string, string];
  for (const volume of [own, other]) await mkdir(join(volume, "data"), { recursive: true });
  await mkdir(join(layout.etcd, "member", "wal"), { recursive: true });
  const written = Buffer.concat([Buffer.from([0, 255, 12]), Buffer.from(own), Buffer.from([0x12, 0xfe])]);
  await writeFile(join(layout.etcd, "member", "wal", "0.wal"), written);
  await removeHostPathVolumes(layout);
  assert.deepEqual([existsSync(own), existsSync(other)], [false, true]);
  await rm(other, { recursive: true });
  await rm(layout.directory, { recursive: true });
});

test("a cluster without data has no volumes", async () => {
  await removeHostPathVolumes(layoutOf(join(tmpdir(), randomUUID())));
});
