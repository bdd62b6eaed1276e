import assert from "node:assert/strict";
import test from "node:test";
import { turn } from "../../test/fakes/deleting";
import { down, from, job, to, upgrading } from "../../test/fakes/upgrading";
import { begunUpgrade, upgradePhases, type Upgrade } from "../domain/upgrade";
import { DatabaseSpec } from "../api/spec";
import { statusFor } from "./status";
import { lateText } from "./upgrade-late";

const begun = begunUpgrade("uid-1", { from, to, images: { from: "a", to: "b", job: "c" } });
const startedAt = "2026-01-01T00:00:00Z";
const after = (minutes: number): Date => new Date(Date.parse(startedAt) + minutes * 60_000);
const late = (change: Partial<Upgrade>, minutes: number): string =>
  lateText({ ...begun, ...change }, { name: "shop", job: { state: "running", startedAt }, now: after(minutes) });

test("a conversion is late after five times its rehearsal, and ten minutes at least", () => {
  const converting = { phase: "Converting", ...down } as const;
  assert.equal(late({ ...converting, announcedSeconds: 6 }, 10), "");
  assert.match(
    late({ ...converting, announcedSeconds: 6 }, 11),
    /since 2026-01-01T00:00:00Z.*Job shop-upgrade.*version: "15\.20"/,
  );
  assert.equal(late({ ...converting, announcedSeconds: 600 }, 50), "");
  assert.notEqual(late({ ...converting, announcedSeconds: 600 }, 51), "");
});

test("a Job whose pod does not begin is told at once", () => {
  const seen = { state: "running", startedAt, waits: "ErrImagePull" } as const;
  const text = lateText(begun, { name: "shop", job: seen, now: after(0) });
  assert.match(text, /the pod of Job shop-upgrade does not begin: ErrImagePull/);
});

test("on the way back only its Job can begin again", () => {
  const text = late({ phase: "Converting", heading: "from", ...down }, 11);
  assert.match(text, /delete the Job to have it begin again$/);
});

test("a rehearsal has as long as a drill, and members that do not stop have ten minutes", () => {
  assert.equal(late({}, 360), "");
  assert.match(late({}, 361), /the log of Job shop-upgrade/);
  const stopping = { phase: "Stopping", stoppedAt: startedAt } as const;
  assert.deepEqual([late(stopping, 10) === "", /does not end/.test(late(stopping, 11))], [true, true]);
});

test("members that do not start have ten minutes, and each way says what else there is", () => {
  const starting = { phase: "Starting", stoppedAt: startedAt, startingAt: startedAt } as const;
  assert.equal(late(starting, 10), "");
  assert.match(late(starting, 11), /the log of shop-0, say why; version: "15\.20" takes it back$/);
  assert.match(late({ ...starting, heading: "from" }, 11), /say why$/);
  assert.match(late({ ...starting, heading: "from", served: true }, 11), /version: "17\.12" breaks the way back off$/);
});

test("what has no begin is not late, and what waits for people never is", () => {
  assert.equal(lateText({ ...begun, phase: "Converting" }, { name: "shop", job: undefined, now: after(9999) }), "");
  for (const phase of upgradePhases) {
    if (["Rehearsing", "Stopping", "Converting"].includes(phase)) continue;
    assert.equal(late({ phase, stoppedAt: startedAt }, 9999), "", phase);
  }
});

test("the conditions say so, and nothing is ended", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down });
  cluster.upgradeLook.job = { ...job("running"), startedAt: "2025-12-31T12:00:00Z" };
  const outcome = await turn(cluster);
  assert.deepEqual([outcome.kind, cluster.removed.length], ["waiting", 0]);
  const status = statusFor({
    ...{ name: "shop", namespace: "team", generation: 2, outcome, observation: cluster.observation, previous: {} },
    spec: DatabaseSpec.parse({ engine: "postgresql", version: to }),
    ...{ record: cluster.record, serviceMonitors: false, now: cluster.now },
  });
  for (const type of ["Ready", "Reconciling"])
    assert.match(status.conditions?.find((one) => one.type === type)?.message ?? "", /longer than expected/, type);
});
