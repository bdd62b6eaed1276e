// Backups that lie where they were taken, and whose DatabaseBackups are gone.
import assert from "node:assert/strict";
import test from "node:test";
import { Died, FakeBackups, labelOf, reported } from "../../test/fakes/backups";
import { foundRecordNameOf, type BackupRun } from "../domain/backups";

const nameOf = (day: number): string => `shop-202601${String(day).padStart(2, "0")}t020000`;
const foundNameOf = (day: number): string => foundRecordNameOf("shop", labelOf(day)) ?? "";

/** The backup of a day, which says that those of these days are there. */
function saying(day: number, days: readonly number[], some: object = {}): BackupRun {
  const { report } = reported(day, days[0]);
  const present = days.map((one) => ({ label: labelOf(one), bytes: one * 1024 }));
  return reported(day, days[0], report && { report: { ...report, present, ...some } });
}

/** Three were taken, and all objects and Jobs are gone. */
async function forgotten(): Promise<FakeBackups> {
  const at = new FakeBackups();
  at.runs = [reported(1, 1), reported(2, 1), reported(3, 1)];
  await at.settle();
  at.objects.clear();
  at.runs = [];
  return at;
}

test("the next backup brings back the objects of those that are there, with what is known of them", async () => {
  const at = await forgotten();
  at.runs = [saying(4, [1, 2, 3, 4])];
  await at.settle();
  assert.deepEqual(at.names, [...[1, 2, 3].map(foundNameOf), nameOf(4)].sort());
  const { conditions, observedGeneration, message, ...facts } = at.status(foundNameOf(2));
  assert.deepEqual(facts, {
    ...{ phase: "Succeeded", label: labelOf(2), startedAt: "2026-01-02T02:00:03Z", size: 2048, sizeText: "2.0 KiB" },
    ...{ engine: "postgresql", cluster: "c", location: "volume shop-backup" },
  });
  assert.match(message ?? "", /complete and verified; kept until retention removes it/);
  assert.deepEqual([conditions?.[0]?.status, observedGeneration], ["True", 1]);
  assert.deepEqual(at.begun, [], "none of them is taken for a wish");
});

test("retention removes them with the data, as any other", async () => {
  const at = await forgotten();
  at.runs = [saying(4, [1, 2, 3, 4])];
  await at.settle();
  at.keep(foundNameOf(1), true);
  at.runs.push(saying(5, [3, 4, 5]));
  await at.settle();
  assert.deepEqual(at.names, [foundNameOf(1), foundNameOf(3), nameOf(4), nameOf(5)].sort());
});

test("one that a person deletes comes back with the next backup after its Job has gone, and not before", async () => {
  const at = new FakeBackups();
  at.runs = [saying(1, [1]), saying(2, [1, 2])];
  await at.settle();
  assert.deepEqual(at.names, [1, 2].map(nameOf));
  at.objects.delete(nameOf(1));
  at.restart();
  await at.settle();
  assert.deepEqual(at.names, [nameOf(2)]);
  at.runs.push(saying(3, [1, 2, 3]));
  await at.settle();
  assert.deepEqual(at.names, [2, 3].map(nameOf), "its Job is there, and was recorded");
  at.runs = [saying(4, [1, 2, 3, 4])];
  await at.settle();
  assert.deepEqual(at.names, [foundNameOf(1), ...[2, 3, 4].map(nameOf)].sort());
});

test("in object storage a differential one says what it is not whole without", async () => {
  const at = await forgotten();
  const [full, differential] = ["20260101-020003F", "20260101-020003F_20260102-020003D"];
  const present = [{ label: full, completedAt: "2026-01-01T02:04:00Z" }, { label: differential }];
  at.runs = [saying(4, [4], { present, location: "s3://backups/shop" })];
  await at.settle();
  const found = "shop-20260102t020003-found";
  assert.deepEqual(at.names, ["shop-20260101t020003-found", found, nameOf(4)]);
  const { base, location, startedAt } = at.status(found);
  assert.deepEqual([base, location, startedAt], [full, "s3://backups/shop", "2026-01-02T02:00:03Z"]);
  assert.equal(at.status("shop-20260101t020003-found").completedAt, "2026-01-01T02:04:00Z");
});

test("of those that changes lead on from it is known from when on, as the newest one says", async () => {
  const at = await forgotten();
  const present = [1, 2].map((day) => ({ label: labelOf(day), completedAt: `2026-01-0${day}T02:04:00Z` }));
  at.runs = [saying(4, [4], { present: [...present, { label: labelOf(3) }], recoverableFrom: "2026-01-02T02:04:00Z" })];
  await at.settle();
  const known = [1, 2, 3].map((day) => at.status(foundNameOf(day)).recoverableFrom);
  assert.deepEqual(known, [undefined, "2026-01-02T02:04:00Z", undefined]);
});

test("an operator that dies at any write leaves what its successor completes", async () => {
  for (const losesAnswer of [false, true])
    for (let deadAfter = 0; deadAfter < 12; deadAfter++) {
      const at = await forgotten();
      at.runs = [saying(4, [1, 2, 3, 4])];
      Object.assign(at, { losesAnswer, writesLeft: deadAfter });
      await at.turn();
      at.restart();
      await at.settle();
      assert.deepEqual(at.names, [...[1, 2, 3].map(foundNameOf), nameOf(4)].sort());
      assert.ok(at.errors.every((error) => error instanceof Died));
    }
});
