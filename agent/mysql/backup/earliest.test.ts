import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { group, set } from "../../../test/fakes/mysql/archive";
import { binaryLog } from "../../../test/fakes/mysql/binary-log";
import { beginSession, completeLog, groupDirectory } from "../archive/store";
import { writeManifest } from "../copies/manifest";
import { earliestIn } from "./earliest";

let backups = "";
beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "earliest-"));
  for (const [day, last] of [
    [1, 2],
    [2, 9],
  ] as const) {
    const directory = join(backups, `shop-2026112${day}T020000Z`);
    await mkdir(directory);
    const some = { group, server: "9.7.4", transactions: `${group}:1-${last}`, bytes: 1, files: {} };
    await writeManifest(directory, { ...some, copiedAt: `2026-11-2${day}T02:00:00Z` });
  }
});
afterEach(() => rm(backups, { recursive: true }));

const earliest = (): Promise<string | undefined> =>
  earliestIn({ backups, database: "shop", group, newest: "shop-20261122T020000Z" }, 0);

async function session(previous: string): Promise<string> {
  const beginning = { member: "shop-0", startedAt: "2026-11-21T00:00:00Z", previous: set(previous) };
  return beginSession({ backups, group, number: 1, ...beginning });
}

test("a restore goes back to the oldest backup from which logs lead on", async () => {
  const directory = await session("1-2");
  const transactions = [3, 4, 5, 6, 7, 8, 9].map((number) => ({ number, committedAt: number }));
  await writeFile(
    join(directory, "binlog.000001"),
    binaryLog({ source: group, previous: `${group}:1-2`, transactions }),
  );
  await completeLog(directory, "binlog.000001");
  assert.equal(await earliest(), "2026-11-21T02:00:00Z");
});

test("a program that begins later is no reason to leave out what it will keep", async () => {
  assert.equal(await earliest(), "2026-11-22T02:00:00Z");
});

test("nor is one that has begun behind what is noted of the copy, which has more", async () => {
  await session("1-20");
  assert.equal(await earliest(), "2026-11-22T02:00:00Z");
});

test("what cannot be looked up does not make a failure of a backup that is complete", async () => {
  await mkdir(groupDirectory(backups, group), { recursive: true });
  await writeFile(join(groupDirectory(backups, group), "000001-shop-0"), "");
  assert.equal(await earliest(), "2026-11-22T02:00:00Z");
});
