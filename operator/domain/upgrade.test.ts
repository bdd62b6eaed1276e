import assert from "node:assert/strict";
import test from "node:test";
import {
  begunUpgrade,
  declarationOf,
  nextOf,
  upgradePhases,
  type Side,
  type Upgrade,
  type UpgradePhase,
  type UpgradeSight,
  type UpgradeStep,
} from "./upgrade";

const [from, to] = ["15.20", "17.12"];
const images = { from: "server:15", to: "server:17", job: "upgrade:17" };
const begun = begunUpgrade("uid", { from, to, images });

/** Nothing has happened since the phase began. */
const quiet: UpgradeSight = {
  ...{ wanted: to, confirmed: undefined, job: undefined, backup: undefined, pods: 3 },
  ...{ leads: "another", isFirstCurrent: false, isInitialized: false, areOthersGone: false },
  ...{ leadsAlone: false, isFormerGone: false },
};

/** All that a phase waits for has happened; whatever it is. */
const fulfilled: UpgradeSight = {
  ...{ wanted: to, confirmed: undefined, job: "succeeded", backup: "succeeded", seconds: 7, pods: 1 },
  ...{ leads: "member 0", isFirstCurrent: true, isInitialized: true, areOthersGone: true },
  ...{ leadsAlone: true, isFormerGone: false },
};

const at = (phase: UpgradePhase, change: Partial<Upgrade> = {}): Upgrade => ({ ...begun, ...change, phase });
const converted: Partial<Upgrade> = { files: "to", keeps: true, served: true };
const returned: Partial<Upgrade> = { files: "from", heading: "from", keeps: true };
const gone: Partial<UpgradeSight> = { pods: 0, leads: "none" };

/** What follows, in a few words. */
function wordsOf(step: UpgradeStep): string {
  if (step.kind === "stalled") return `stalled: ${step.why}`;
  if (step.kind !== "go") return step.kind;
  const { phase, heading, files, keeps, failed } = step.upgrade;
  const more = [heading === "from" && "back", files !== "from" && files, keeps && "keeps", failed && "failed"];
  return [phase, ...more.filter((word) => word !== false)].join(" ");
}

const cases: readonly (readonly [what: string, Upgrade, Partial<UpgradeSight>, follows: string])[] = [
  ["the rehearsal runs", at("Rehearsing"), { job: "running" }, "wait"],
  ["the rehearsal found that it works", at("Rehearsing"), { job: "succeeded", seconds: 7 }, "BackingUp"],
  ["the rehearsal failed", at("Rehearsing"), { job: "failed" }, "stalled: rehearsal failed"],
  ["a rehearsal is called off", at("Rehearsing"), { wanted: from, job: "running" }, "end"],
  ["a rehearsal that failed is called off", at("Rehearsing"), { wanted: from, job: "failed" }, "end"],
  ["the backup succeeded", at("BackingUp"), { backup: "succeeded", isFirstCurrent: true }, "Gathering"],
  ["the first member does not receive what the primary writes", at("BackingUp"), { backup: "succeeded" }, "wait"],
  ["the backup failed", at("BackingUp"), { backup: "failed" }, "stalled: backup failed"],
  ["it is called off during the backup", at("BackingUp"), { wanted: from }, "end"],
  ["another member leads", at("Gathering"), { pods: 1, leads: "another" }, "wait"],
  ["pods of others are ending", at("Gathering"), { pods: 2, leads: "member 0" }, "wait"],
  ["another member might still take over", at("Gathering"), { pods: 1, leads: "member 0" }, "wait"],
  ["member 0 is alone and leads", at("Gathering"), { pods: 1, leads: "member 0", leadsAlone: true }, "Stopping"],
  ["it is called off while members stop", at("Gathering"), { wanted: from }, "Starting back"],
  ["a member still ends", at("Stopping"), { pods: 1 }, "wait"],
  ["all have ended", at("Stopping"), gone, "Converting either keeps"],
  ["it is called off with nothing converted", at("Stopping"), { wanted: from }, "Starting back"],
  ["the conversion runs", at("Converting", { files: "either", keeps: true }), { job: "running", ...gone }, "wait"],
  ["it has converted", at("Converting", { files: "either", keeps: true }), { job: "succeeded" }, "Starting to keeps"],
  [
    "the conversion failed: back without being asked",
    at("Converting", { files: "either", keeps: true }),
    { job: "failed" },
    "Stopping back either keeps failed",
  ],
  [
    "it is called off while it may convert: its Job ends, and what it did is put back",
    at("Converting", { files: "either", keeps: true }),
    { wanted: from, job: "running", pods: 1 },
    "Stopping back either keeps",
  ],
  [
    "that in turn is called off before anything is put back",
    at("Stopping", { files: "either", heading: "from", keeps: true }),
    { wanted: to, ...gone },
    "Stopping either keeps",
  ],
  [
    "whatever is wanted, what failed is put back",
    at("Stopping", { files: "either", heading: "from", keeps: true, failed: true }),
    { wanted: to, ...gone },
    "Converting back either keeps failed",
  ],
  [
    "the way back failed",
    at("Converting", { files: "either", heading: "from", keeps: true }),
    { wanted: from, job: "failed" },
    "stalled: return failed",
  ],
  ["no member leads yet", at("Starting", converted), { leads: "none", isInitialized: true }, "wait"],
  ["one leads, and is not initialized", at("Starting", converted), { leads: "member 0" }, "wait"],
  ["it serves", at("Starting", converted), { isInitialized: true }, "AwaitingConfirmation to keeps"],
  [
    "it never serves, and is taken back",
    at("Starting", converted),
    { wanted: from, leads: "none" },
    "Stopping back to keeps",
  ],
  [
    "the former files do not start, and those that members ran with come again",
    at("Starting", { ...returned, served: true }),
    { leads: "none" },
    "Stopping keeps",
  ],
  [
    "the former files take writes: they stay",
    at("Starting", { ...returned, served: true }),
    { isInitialized: true },
    "AwaitingConfirmation back keeps",
  ],
  [
    "the former files do not start after a conversion with which no member ran: it may not be made of them",
    at("Starting", returned),
    { leads: "none" },
    "wait",
  ],
  [
    "the former files do not start, and those of the target failed",
    at("Starting", { ...returned, served: true, failed: true }),
    { leads: "none" },
    "wait",
  ],
  ["nothing was converted, and it serves again", at("Starting", { heading: "from" }), { isInitialized: true }, "end"],
  [
    "after a conversion that failed it serves again",
    at("Starting", { ...returned, failed: true }),
    { isInitialized: true },
    "GaveUp back keeps failed",
  ],
  ["no one has confirmed", at("AwaitingConfirmation", converted), {}, "wait"],
  ["another version is confirmed", at("AwaitingConfirmation", converted), { confirmed: from }, "wait"],
  ["it is confirmed", at("AwaitingConfirmation", converted), { confirmed: to }, "Removing to keeps"],
  ["it is taken back", at("AwaitingConfirmation", converted), { wanted: from }, "Stopping back to keeps"],
  [
    "it is to be taken back, and there is nothing to go back to: members run on",
    at("AwaitingConfirmation", converted),
    { wanted: from, isFormerGone: true },
    "stalled: former files are gone",
  ],
  [
    "former files are gone, and the version stays",
    at("AwaitingConfirmation", converted),
    { isFormerGone: true },
    "wait",
  ],
  [
    "it is taken back with an old confirmation in the spec",
    at("AwaitingConfirmation", converted),
    { wanted: from, confirmed: to },
    "Stopping back to keeps",
  ],
  [
    "once it was taken back, forward is another upgrade, for which there is no room beside the files that are kept",
    at("AwaitingConfirmation", returned),
    { wanted: to },
    "stalled: not confirmed yet",
  ],
  [
    "the way back is confirmed",
    at("AwaitingConfirmation", returned),
    { wanted: from, confirmed: from },
    "Removing back keeps",
  ],
  ["the other files are being removed", at("Removing", converted), { confirmed: to }, "wait"],
  ["they are gone", at("Removing", converted), { confirmed: to, areOthersGone: true }, "end"],
  ["it is taken back too late", at("Removing", converted), { wanted: from }, "stalled: confirmed already"],
  [
    "the next upgrade is wanted early: nothing is in its way once they are gone",
    at("Removing", returned),
    { wanted: to, areOthersGone: true },
    "end",
  ],
  [
    "what the spec said before it began confirms nothing",
    at("AwaitingConfirmation", { ...converted, disregarded: to }),
    { confirmed: to },
    "wait",
  ],
  ["it gave up", at("GaveUp", { ...returned, failed: true }), {}, "stalled: conversion failed"],
  [
    "a person has read why: what the conversion left goes",
    at("GaveUp", { ...returned, failed: true }),
    { wanted: from },
    "Removing back keeps failed",
  ],
  [
    "a person has read why, and there are files that members have written to: they stay until that is confirmed",
    at("GaveUp", { ...returned, failed: true, served: true }),
    { wanted: from },
    "AwaitingConfirmation back keeps",
  ],
  ["a third version", at("Starting", converted), { wanted: "18.6" }, "stalled: another version is wanted"],
];

for (const [what, upgrade, sight, follows] of cases) {
  test(`${upgrade.phase}: ${what}`, () => {
    assert.equal(wordsOf(nextOf(upgrade, { ...quiet, ...sight })), follows);
  });
}

test("each phase is in the table", () => {
  assert.deepEqual([...new Set(cases.map(([, { phase }]) => phase))], [...upgradePhases]);
});

const standings = [undefined, "succeeded", "failed"] as const;

/** All that may be seen of what counts, in whatever phase. */
const sights: readonly UpgradeSight[] = [quiet]
  .flatMap((sight) => [from, to].map((wanted) => ({ ...sight, wanted })))
  .flatMap((sight) => [undefined, from, to].map((confirmed) => ({ ...sight, confirmed })))
  .flatMap((sight) => standings.map((job) => ({ ...sight, job })))
  .flatMap((sight) => standings.map((backup) => ({ ...sight, backup })))
  .flatMap((sight) => [0, 1, 2].map((pods) => ({ ...sight, pods })))
  .flatMap((sight) => (["member 0", "another", "none"] as const).map((leads) => ({ ...sight, leads })))
  .flatMap((sight) =>
    [true, false].map((is) => ({ ...sight, isInitialized: is, areOthersGone: is, isFirstCurrent: is, leadsAlone: is })),
  );

const keyOf = (upgrade: Upgrade): string => JSON.stringify({ ...upgrade, announcedSeconds: 0 });

/** Each state that can be reached, with the steps that lead out of it. */
function reachable(): ReadonlyMap<
  string,
  { readonly upgrade: Upgrade; readonly steps: readonly [UpgradeSight, UpgradeStep][] }
> {
  const found = new Map<string, { upgrade: Upgrade; steps: [UpgradeSight, UpgradeStep][] }>();
  const open: Upgrade[] = [begun];
  for (let upgrade = open.pop(); upgrade !== undefined; upgrade = open.pop()) {
    if (found.has(keyOf(upgrade))) continue;
    const present = upgrade;
    const steps = sights.map((sight): [UpgradeSight, UpgradeStep] => [sight, nextOf(present, sight)]);
    found.set(keyOf(upgrade), { upgrade, steps });
    const next = steps.flatMap(([, step]) =>
      step.kind === "go" ? [[keyOf(step.upgrade), step.upgrade] as const] : [],
    );
    open.push(...new Map(next).values());
  }
  return found;
}

const states = [...reachable().values()];

test("members run only with the files of their own version, and a Job has them only while no member does", () => {
  assert.ok(states.length > upgradePhases.length, String(states.length));
  for (const { upgrade } of states) {
    const { members, version, job } = declarationOf(upgrade);
    if (members !== "none") assert.equal(upgrade.files === "either" ? undefined : upgrade[upgrade.files], version);
    if (job !== undefined && job !== "rehearse") assert.equal(members, "none");
    assert.equal(
      upgrade.files === "either",
      (job !== undefined && job !== "rehearse") || isInterrupted(upgrade),
      keyOf(upgrade),
    );
  }
});

const isInterrupted = ({ phase, files }: Upgrade): boolean => phase === "Stopping" && files === "either";

test("the files are handed to a Job, or to another one, only when no pod has them", () => {
  for (const { upgrade, steps } of states) {
    for (const [sight, step] of steps) {
      if (step.kind !== "go" || step.upgrade.phase !== "Converting") continue;
      assert.deepEqual([upgrade.phase, sight.pods], ["Stopping", 0]);
    }
  }
});

test("member 0 has all that was acknowledged before its files are converted", () => {
  for (const { upgrade, steps } of states) {
    for (const [sight, step] of steps) {
      const isFirst = step.kind === "go" && step.upgrade.phase === "Stopping" && upgrade.phase === "Gathering";
      if (isFirst) assert.deepEqual([sight.pods, sight.leads], [1, "member 0"]);
    }
  }
});

test("former files go only once a person has confirmed the version that runs", () => {
  for (const { upgrade, steps } of states) {
    for (const [sight, step] of steps) {
      if (step.kind !== "go" || !declarationOf(step.upgrade).removesOthers) continue;
      if (!upgrade.served) continue;
      assert.equal(sight.confirmed, declarationOf(upgrade).version);
      assert.equal(sight.wanted, declarationOf(upgrade).version);
      assert.equal(upgrade.disregarded, undefined);
    }
  }
});

test("once members have run with the files of the target, these are known to have been written to", () => {
  for (const { upgrade, steps } of states) {
    const { members, version, job } = declarationOf(upgrade);
    if (members !== "none" && version === to) assert.ok(upgrade.served, keyOf(upgrade));
    // they are never made again out of the former ones
    if (upgrade.served) assert.notEqual(job, "convert");
    for (const [, step] of steps) if (step.kind === "go" && upgrade.served) assert.ok(step.upgrade.served);
  }
});

/** Where it gets from there when the world does its part, and the person stays with what is wanted. */
function endOf(upgrade: Upgrade, wish: Side): string {
  let present = upgrade;
  for (let count = 0; count < 20; count++) {
    const pods = declarationOf(present).members === "none" ? 0 : 1;
    const step = nextOf(present, { ...fulfilled, pods, wanted: present[wish] });
    if (step.kind !== "go") return step.kind === "wait" ? `${present.phase} ${present.heading}` : wordsOf(step);
    present = step.upgrade;
  }
  return "never ends";
}

test("whatever was done, it comes to the version that is wanted, or says what a person must do", () => {
  for (const { upgrade } of states) {
    const [forward, back] = [endOf(upgrade, "to"), endOf(upgrade, "from")];
    const forwardEnds = ["AwaitingConfirmation to", "end", "stalled: conversion failed", "stalled: not confirmed yet"];
    assert.ok(forwardEnds.includes(forward), `${keyOf(upgrade)}: ${forward}`);
    const backEnds = ["AwaitingConfirmation from", "end", "stalled: confirmed already"];
    assert.ok(backEnds.includes(back), `${keyOf(upgrade)}: ${back}`);
  }
});
