import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { fillBase, fillFile, fillSegments } from "../../../test/fakes/postgresql/kept-wal";
import { exists } from "../../disk";
import { clusterDirectory } from "../archive/names";
import { walOf } from "../archive/store";
import { nameOf, segmentBytes } from "../backup/continuity";
import { livingLabel, recoveryOnVolume, servedOf } from "./kept";

let backups = "";
let directory = "";
beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "kept-"));
  directory = clusterDirectory(backups, "77");
  await mkdir(directory, { recursive: true });
});
afterEach(() => rm(backups, { recursive: true }));

const log = (): void => undefined;
const name = (timeline: number, position: number): string => nameOf({ timeline, position });
const labelOf = (day: number): string => `shop-2026112${day}T020000Z`;
const backup = (day: number, position: number, timeline = 1): Promise<void> =>
  fillBase(backups, {
    ...{ label: labelOf(day), cluster: "77", start: `0/${position}000028` },
    end: [timeline, `0/${position}000158`],
  });
const history = (lsn: string): Promise<void> =>
  writeFile(join(directory, "00000002.history"), `1\t${lsn}\tno recovery target specified\n`);
const served = async (day: number, position: number): Promise<readonly string[]> =>
  servedOf(
    {
      ...{ directory, backup: join(backups, labelOf(day)) },
      end: { timeline: 1, position, lsn: `0/${position}000158` },
    },
    await walOf(directory),
  );

test("the server gets what is history from the backup's end on, and of that of a former primary nothing", async () => {
  await backup(1, 5);
  await fillSegments(directory, 1, 4, 5, 6, 7);
  await history("0/6000110");
  assert.deepEqual(await served(1, 5), [name(1, 5), "00000002.history"], "the new timeline's own has not come yet");
  await fillSegments(directory, 2, 6);
  assert.deepEqual(await served(1, 5), [name(1, 5), name(2, 6), "00000002.history"]);
});

test("a segment that has less than the backup's own does not come before that", async () => {
  await backup(1, 5);
  const own = Buffer.alloc(0x158, 7);
  await fillFile(join(backups, labelOf(1), "pg_wal", name(1, 5)), segmentBytes, own);
  const partial = join(directory, `${name(1, 5)}.partial`);
  await fillFile(partial, segmentBytes, own.subarray(0, 100));
  assert.deepEqual((await served(1, 5)).filter(Boolean), []);
  await fillFile(partial, segmentBytes, Buffer.concat([own, own]));
  assert.deepEqual((await served(1, 5)).filter(Boolean), [name(1, 5)]);
});

test("what has not its size is no WAL behind a backup: it is restored as it is, and a moment is refused", async () => {
  await backup(1, 5);
  await fillFile(join(directory, "incoming", `${name(1, 5)}.partial`), 0);
  const behind = { backups, label: labelOf(1) };
  assert.equal(await recoveryOnVolume({ ...behind, until: { kind: "last" } }, log), undefined);
  const until = { kind: "moment", at: "2026-11-21T03:00:00Z" } as const;
  await assert.rejects(recoveryOnVolume({ ...behind, until }, log), /no WAL behind shop-20261121T020000Z/);
});

test("instead of a backup of what a former primary wrote alone the one before it is taken", async () => {
  await backup(1, 5);
  await backup(2, 7);
  await fillSegments(directory, 1, 5, 6);
  assert.equal(await livingLabel(backups, labelOf(2), log), labelOf(2));
  await history("0/7000100");
  await fillSegments(directory, 2, 7);
  assert.equal(await livingLabel(backups, labelOf(2), log), labelOf(1));
  assert.equal(await livingLabel(backups, labelOf(1), log), labelOf(1));
  await rm(join(backups, labelOf(1)), { recursive: true });
  await assert.rejects(livingLabel(backups, labelOf(2), log), /history no more .* restore\.backup/);
  // a drill restores what the backup itself has
  const behind = { backups, label: labelOf(2), until: { kind: "last" }, isBounded: true } as const;
  assert.equal(await recoveryOnVolume(behind, log), undefined);
});

/** Asks wal-fetch, as the server does; the code that it ends with. */
async function fetched(file: string, there: readonly string[]): Promise<number> {
  await writeFile(join(backups, "there"), `${there.join("\n")}\n`);
  const program = join(__dirname, "../../../images/postgresql/wal-fetch");
  const args = [directory, join(backups, "there"), join(backups, "missing"), file, join(backups, "got")];
  return new Promise((resolve) => {
    execFile(program, args, (error) => {
      resolve(error === null ? 0 : Number(error.code));
    });
  });
}
const missing = (): Promise<string> => readFile(join(backups, "missing"), "utf8").catch(() => "");

test("the server gets whole files of what it may have, and what is missing is noted", async () => {
  const all = [name(1, 5), name(1, 6), name(1, 7), name(1, 8), "00000002.history"];
  await fillSegments(directory, 1, 5, 9);
  await history("0/6000110");
  await fillFile(join(directory, "incoming", `${name(1, 6)}.partial`), segmentBytes);
  await fillFile(join(directory, `${name(1, 7)}.partial`), 4_096);
  assert.equal(await fetched(name(1, 5), all), 0);
  assert.equal((await stat(join(backups, "got"))).size, segmentBytes);
  assert.equal(await fetched("00000002.history", all), 0);
  assert.equal(await missing(), "");
  assert.equal(await fetched(name(1, 6), all), 0, "what is not complete");
  await rm(join(backups, "got"));
  for (const [position, why] of [
    [7, "not its size"],
    [8, "not there"],
    [9, "no history"],
  ] as const) {
    assert.equal(await fetched(name(1, position), all), 1, why);
    assert.ok(!(await exists(join(backups, "got"))), why);
  }
  assert.deepEqual(
    (await missing()).trim().split("\n"),
    [6, 7, 8, 9].map((position) => name(1, position)),
  );
  await truncate(join(directory, `${name(1, 7)}.partial`), segmentBytes);
  assert.equal(await fetched(name(1, 7), all), 0);
});

test("what cannot be read is not taken for the end of the WAL", async () => {
  await mkdir(join(directory, "00000002.history"));
  assert.equal(await fetched("00000002.history", ["00000002.history"]), 126);
});
