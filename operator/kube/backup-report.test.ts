import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { reportText } from "../../agent/backups";
import { reportIn } from "./backup-report";

const facts = {
  ...{ backup: "orders-20261121T020003Z", startedAt: "2026-11-21T02:00:03Z", bytes: 1024, member: "orders-1" },
  ...{ cluster: "7512345678901234567", version: "17.12", oldest: "orders-20261115T020003Z" },
  consistency: "Torn",
} as const;

test("what a program says is read, with what else there is", () => {
  const present = [{ label: facts.oldest, bytes: 7, completedAt: "2026-11-15T02:01:00Z" }, { label: facts.backup }];
  assert.deepEqual(reportIn(reportText(facts, present)), { ...facts, present });
});

test("what cannot be read is unknown, and without the name of the backup there is no report", () => {
  const odd = { ...facts, bytes: -1, startedAt: "yesterday", member: "a b", oldest: 7, consistency: "Mostly" };
  const { backup, cluster, version } = facts;
  assert.deepEqual(JSON.parse(JSON.stringify(reportIn(JSON.stringify(odd)))), { backup, cluster, version });
  for (const text of ["", "no member accepted connections", `{"backup":"a b"}`, `{"bytes":1}`])
    assert.equal(reportIn(text), undefined);
});

const images = join(__dirname, "../../images/postgresql");
const isPython = spawnSync("python3", ["--version"]).status === 0;

/** Runs Python over the backup program of PostgreSQL with a volume of these backups, each with its cluster. */
function inProgram(volume: string, backups: Readonly<Record<string, string>>, statements: string): string {
  const script = `
import importlib.machinery, importlib.util, json, os, sys
from pathlib import Path
sys.path.insert(0, ${JSON.stringify(images)})
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("backup", ${JSON.stringify(join(images, "postgresql-backup"))})
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("backup", loader))
loader.exec_module(program)
volume = Path(${JSON.stringify(volume)})
for name, cluster in json.loads(${JSON.stringify(JSON.stringify(backups))}).items():
    (volume / name).mkdir(exist_ok=True)
    manifest = '{ "PostgreSQL-Backup-Manifest-Version": 2,\\n"System-Identifier": %s,\\n"Files": [] }' % cluster
    (volume / name / "backup_manifest").write_text(manifest)
program.TERMINATION_LOG = volume / "termination-log"
program.TERMINATION_LOG.touch()
${statements}`;
  const ran = spawnSync("python3", ["-"], { input: script, encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
}

const label = (day: number): string => `orders-203001${String(day).padStart(2, "0")}T020000Z`;

test("PostgreSQL's program, in Python, removes and says the same", { skip: !isPython && "there is no Python" }, (t) => {
  const volume = mkdtempSync(join(tmpdir(), "backups-"));
  t.after(() => {
    rmSync(volume, { recursive: true });
  });
  const days = [1, 2, 3, 4, 5];
  const clusters = Object.fromEntries(days.map((day) => [label(day), day === 2 ? "999" : "7512345678901234567"]));
  const printed = inProgram(
    volume,
    clusters,
    `
newest = volume / "${label(5)}"
for kept in (None, "", "${label(1)} ${label(9)}"):
    os.environ.pop("BACKUP_KEPT", None)
    if kept is not None:
        os.environ["BACKUP_KEPT"] = kept
    labels = program.kept_labels()
    doomed = program.surplus(program.clusters_of(volume, "orders"), newest, 2, labels)
    print("removed:", *[backup.name for backup in doomed])
program.prune(volume, "orders", newest, 2, labels)
program.report(volume, "orders", newest, labels, {"startedAt": "2030-01-05T02:00:00Z", "member": None, "version": "17.12"})`,
  );
  const removed = printed.split("\n").flatMap((line) => /^removed:(.*)$/.exec(line)?.[1]?.trim() ?? []);
  assert.deepEqual(removed, ["", `${label(1)} ${label(3)}`, label(3)]);
  const message = readFileSync(join(volume, "termination-log"), "utf8");
  assert.deepEqual(reportIn(message), {
    ...{ backup: label(5), startedAt: "2030-01-05T02:00:00Z", version: "17.12", bytes: 98 },
    ...{ cluster: "7512345678901234567", oldest: label(4) },
    // the kept one is still there, and that of another cluster is not its own
    present: [1, 4, 5].map((day) => ({ label: label(day), bytes: 98 })),
  });
});

test("its report fits into a termination message, too", { skip: !isPython && "there is no Python" }, (t) => {
  const volume = mkdtempSync(join(tmpdir(), "backups-"));
  t.after(() => {
    rmSync(volume, { recursive: true });
  });
  const name = "d".repeat(45);
  const all = Array.from({ length: 28 }, (_, day) => `${name}-203001${String(day + 1).padStart(2, "0")}T020000Z`);
  const newest = all.at(-1) ?? "";
  const known = `{"startedAt": "2030-01-05T02:00:00Z", "member": "${"m".repeat(63)}", "version": "${"1".repeat(64)}"}`;
  const statement = `program.report(volume, "${name}", volume / "${newest}", set(), ${known})`;
  inProgram(volume, Object.fromEntries(all.map((backup) => [backup, "7512345678901234567"])), statement);
  const message = readFileSync(join(volume, "termination-log"));
  assert.ok(message.length < 4096 - 20 * 8, String(message.length));
  assert.equal(reportIn(message.toString())?.backup, newest);
});
