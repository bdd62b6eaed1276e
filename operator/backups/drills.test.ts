// What drills leave in the records of backups.
import assert from "node:assert/strict";
import test from "node:test";
import { FakeBackups, labelOf, reported } from "../../test/fakes/backups";
import type { VerificationReport } from "../../contract/verification-report";
import type { Drill } from "../domain/drills";
import { withDrill } from "./drills";

const drill = (day: number, of: number, some: Partial<VerificationReport> = {}): Drill => ({
  ...{ job: `shop-verify-${day}`, finishedAt: `2026-01-0${day}T05:00:00Z` },
  report: {
    ...{ verdict: "Passed", verified: labelOf(of), startedAt: `2026-01-0${day}T04:00:00Z`, seconds: 30 },
    ...{ recoverySeconds: 12, message: "restored and read in full" },
    ...some,
  },
});
const broken = { verdict: "Failed", finding: "BackupDamaged", message: "checksum mismatch" } as const;

test("the record of the backup that was restored says so, and no other one", async () => {
  const cluster = new FakeBackups();
  cluster.runs = [reported(1, 1), reported(2, 1)];
  cluster.drills = [drill(3, 2)];
  await cluster.settle();
  const [first = {}, second = {}] = cluster.names.map((name) => cluster.status(name));
  assert.deepEqual([first.verifiedAt, first.verification], [undefined, undefined]);
  assert.equal(second.verifiedAt, "2026-01-03T05:00:00Z");
  assert.deepEqual(second.verification, {
    ...{ at: "2026-01-03T05:00:00Z", succeeded: true, seconds: 12, message: "restored and read in full" },
  });
  cluster.drills = [];
  cluster.restart();
  await cluster.settle();
  assert.deepEqual(
    cluster.names.map((name) => cluster.status(name).verifiedAt),
    [undefined, "2026-01-03T05:00:00Z"],
  );
});

test("one that is found damaged later is not verified any more", () => {
  const before = withDrill({ label: labelOf(1) }, [drill(2, 1)]);
  const after = withDrill(before, [drill(3, 1, broken), drill(2, 1)]);
  assert.equal(after.verifiedAt, undefined);
  assert.deepEqual([after.verification?.succeeded, after.verification?.message], [false, "checksum mismatch"]);
  assert.deepEqual(withDrill(after, [drill(2, 1)]), after, "an older drill that is still there does not undo it");
});

test("a drill that could not take place leaves no trace", () => {
  const some = { verdict: "NotTried", finding: "NoRoom", message: "no room" } as const;
  assert.deepEqual(withDrill({ label: labelOf(1) }, [drill(2, 1, some)]), { label: labelOf(1) });
});

test("a backup is as good as before where changes behind it are broken", () => {
  const behind = { verdict: "Failed", finding: "ArchiveDamaged", message: "the binary logs have a gap" } as const;
  const before = withDrill({ label: labelOf(1) }, [drill(2, 1)]);
  assert.deepEqual(withDrill(before, [drill(3, 1, behind), drill(2, 1)]), before);
  assert.deepEqual(withDrill({ label: labelOf(1) }, [drill(3, 1, behind)]), { label: labelOf(1) });
});
