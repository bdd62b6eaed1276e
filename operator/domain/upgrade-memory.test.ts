// What is remembered of a major upgrade: what a person had confirmed before, that members have served, and its times.
import assert from "node:assert/strict";
import test from "node:test";
import {
  begunUpgrade,
  declarationOf,
  nextOf,
  stamped,
  type Upgrade,
  type UpgradePhase,
  type UpgradeSight,
} from "./upgrade";

const [from, to] = ["15.20", "17.12"];
const images = { from: "server:15", to: "server:17", job: "upgrade:17" };
const begun = begunUpgrade("uid", { from, to, images });

const quiet: UpgradeSight = {
  ...{ wanted: to, confirmed: undefined, job: undefined, backup: undefined, pods: 3, leads: "another" },
  ...{ leadsAlone: false, isFirstCurrent: false, isInitialized: false, areOthersGone: false, isFormerGone: false },
};

const gone: Partial<UpgradeSight> = { pods: 0, leads: "none" };

const at = (phase: UpgradePhase, change: Partial<Upgrade> = {}): Upgrade => ({ ...begun, ...change, phase });
const converted: Partial<Upgrade> = { files: "to", keeps: true, served: true };
const returned: Partial<Upgrade> = { files: "from", heading: "from", keeps: true };

/** The phase that follows, or that nothing does. */
function wordsOf(upgrade: Upgrade, sight: Partial<UpgradeSight>): string {
  const step = nextOf(upgrade, { ...quiet, ...sight });
  return step.kind === "go" ? step.upgrade.phase : step.kind;
}

test("it is known since when no member serves, and since when members start", () => {
  const times = (upgrade: Upgrade): unknown[] => [upgrade.stoppedAt, upgrade.startingAt, upgrade.downtimeSeconds];
  const [first, second, third] = [0, 10, 30].map((seconds) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)));
  assert.ok(first && second && third);
  const stopping = stamped(begun, at("Stopping"), first);
  const starting = stamped(at("Converting"), { ...stopping, phase: "Starting" }, second);
  assert.deepEqual(times(starting), [first.toISOString(), second.toISOString(), undefined]);
  const again = stamped(starting, { ...starting, phase: "Stopping" }, third);
  assert.deepEqual(times(again), [first.toISOString(), undefined, undefined]);
  assert.deepEqual(times(stamped(starting, { ...starting, phase: "AwaitingConfirmation" }, third)), [
    undefined,
    undefined,
    30,
  ]);
});

test("what was confirmed before it was known to run confirms nothing until it is written again", () => {
  const arrived = nextOf(at("Starting", converted), { ...quiet, isInitialized: true, confirmed: to });
  assert.ok(arrived.kind === "go" && arrived.upgrade.phase === "AwaitingConfirmation");
  assert.equal(wordsOf(arrived.upgrade, { confirmed: to }), "wait");
});

test("what confirmed an earlier upgrade confirms neither the next one nor the way back, until it was written again", () => {
  const left = begunUpgrade("uid", { from, to, images, disregarded: to });
  const served = { ...left, ...converted, phase: "AwaitingConfirmation" } as const;
  const changed = nextOf(served, { ...quiet, confirmed: undefined });
  assert.ok(changed.kind === "go" && changed.upgrade.phase === "AwaitingConfirmation");
  assert.equal(wordsOf(changed.upgrade, { confirmed: to }), "Removing");
  const turned = nextOf({ ...served, disregarded: undefined }, { ...quiet, wanted: from, confirmed: from });
  assert.ok(turned.kind === "go" && turned.upgrade.disregarded === from);
  const back = { ...turned.upgrade, ...returned, phase: "AwaitingConfirmation" } as const;
  assert.equal(wordsOf(back, { wanted: from, confirmed: from }), "wait");
});

test("a way back that is broken off while files are put back brings those of the target again, as they were", () => {
  const putBack = at("Stopping", { files: "either", heading: "to", keeps: true, served: true });
  const step = nextOf(putBack, { ...quiet, ...gone });
  assert.ok(step.kind === "go" && declarationOf(step.upgrade).job === "reinstate");
  const fresh = nextOf({ ...putBack, served: false }, { ...quiet, ...gone });
  assert.ok(fresh.kind === "go" && declarationOf(fresh.upgrade).job === "convert");
});

test("the downtime that the rehearsal measured is kept", () => {
  const step = nextOf(begun, { ...quiet, job: "succeeded", seconds: 7 });
  assert.ok(step.kind === "go" && step.upgrade.announcedSeconds === 7);
});
