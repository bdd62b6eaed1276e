// What it means that binary logs behind a backup cannot be replayed, while a backup volume goes its way.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { set } from "../../../test/fakes/mysql/archive";
import { DrillEnd } from "../../verify/decide";
import type { Plan } from "../restore/plan";
import { ReplayProblem } from "../restore/replay-problem";
import { replayFindingOf } from "./findings";
import { replayBehind } from "./replay";

const [label, later] = ["orders-20261121T020003Z", "orders-20261122T020003Z"];
let backups = "";

beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "replay-"));
  await mkdir(join(backups, label));
  await writeFile(join(backups, "binlog.000001"), "");
});
afterEach(() => rm(backups, { recursive: true }));

const plan = (): Plan => ({
  logs: [{ path: join(backups, "binlog.000001"), previous: set(""), transactions: set("1"), server: "9.7.4" }],
  wanted: set("1"),
});

interface Script {
  readonly planned?: () => Promise<Plan>;
  readonly apply?: () => Promise<void>;
}

/** What is found where it goes so, and what is said of it. */
async function found({
  planned = () => Promise.resolve(plan()),
  apply = () => Promise.resolve(),
}: Script): Promise<string> {
  const place = { data: "", directory: "", scratch: "", superuser: "", version: "9.7.4", parameters: {} };
  const behind = { label, backups, group: "g", until: "last", database: "orders", ...place };
  const error: unknown = await replayBehind(behind, { planned, apply }).then(
    (leftOut) => leftOut,
    (reason: unknown) => reason,
  );
  if (error === undefined) return "replayed";
  if (typeof error === "string") return error;
  const finding = error instanceof DrillEnd ? error.finding : replayFindingOf(error);
  assert.ok(error instanceof Error);
  return `${finding}: ${error.message}`;
}

const failing = (error: Error) => (): Promise<never> => Promise.reject(error);
const gap = new ReplayProblem("gap", "the binary logs have a gap");
const changes = (errno: number): Error => new ReplayProblem("changes", "duplicate key (card)=(4111)", errno);

test("a gap behind the newest backup is damage; where another one is complete meanwhile it may be one as it should be", async () => {
  assert.match(await found({ planned: failing(gap) }), /^ArchiveDamaged: .* have a gap/);
  await mkdir(join(backups, later));
  assert.match(
    await found({ planned: failing(gap) }),
    /^Interrupted: another backup was complete meanwhile.*try it again/,
  );
  assert.match(await found({ planned: failing(new Error("closed")) }), /^Interrupted: closed/);
});

test("logs that do not count, as there are none or a decision gave them up, are no damage", async () => {
  const without = (kind: "none" | "given up"): Promise<string> =>
    found({ planned: failing(new ReplayProblem(kind, "write a moment")) });
  assert.equal(await without("none"), "no binary logs are there yet");
  assert.match(await without("given up"), /^the binary logs behind it were given up/);
  await mkdir(join(backups, later));
  assert.match(await without("given up"), /^the binary logs behind it were given up/);
});

test("a file that is gone when it is its turn was removed, as it may be", async () => {
  const gone = async (): Promise<void> => {
    await rm(join(backups, "binlog.000001"));
    throw changes(13121);
  };
  assert.match(await found({ apply: gone }), /^Interrupted: a binary log was removed while it was replayed/);
});

test("a file that goes while it is looked at what is there is none of those that are replayed", async () => {
  let attempts = 0;
  const missing = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" });
  const planned = (): Promise<Plan> => (attempts++ === 0 ? Promise.reject(missing) : Promise.resolve(plan()));
  assert.equal(await found({ planned }), "replayed");
  assert.match(await found({ planned: failing(missing) }), /^Interrupted: ENOENT/);
});

for (const [errno, said] of [
  [1062, /^ArchiveDamaged: the changes in the binary logs cannot be replayed; the log of the drill says why$/],
  [1114, /^NoRoom: there was no room .*: write a larger storage$/],
  [1021, /^NoRoom: /],
  [1026, /^NoRoom: /],
  [1878, /^NoRoom: /],
  [1037, /^Interrupted: the server gave up while the binary logs were replayed \(error 1037\)$/],
  [1038, /^Interrupted: /],
  [1041, /^Interrupted: /],
  [1053, /^Interrupted: /],
] as const) {
  test(`a change that is not taken in with error ${errno}: ${said.source}`, async () => {
    const end = await found({ apply: failing(changes(errno)) });
    assert.match(end, said);
    assert.doesNotMatch(end, /4111/);
  });
}
