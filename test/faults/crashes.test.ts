// The crash matrix: whatever dies at whichever write, a Database ends up as if nothing had happened. FAULTS=all takes all
// points (hours; SHARD=2/8 takes an eighth of them), else a session takes some chains of them; FAULTS_SEED chooses which, by
// default the number of the commit. FAULTS_POINT takes a single one.
import assert from "node:assert/strict";
import test, { after, before, type TestContext } from "node:test";
import { crashes } from "../judges/reliability/cases/crashes";
import { proves } from "../judges/reliability/case";
import { itemsOf, presentShard, shardText } from "../runner/shard";
import { sourceSeed } from "../runner/seed";
import { allChains, pointOf, pointsOf, someChains, textOf, type Chain, type Point, type Target } from "./points";
import { assertSameObjects } from "./picture";
import { Subject, takeReferences, type References } from "./matrix";
import { stages, type Stage } from "./stages";
import { openRig, overTheCli, type Rig } from "./rig";

let rig: Rig;
let references: References;
let made = 0;

const seed = Number(process.env["FAULTS_SEED"] ?? sourceSeed().seed);
const shard = presentShard();
const isWhole = process.env["FAULTS"] === "all";
const single = process.env["FAULTS_POINT"];

before(async () => {
  // the points are counted in the processes of one run
  rig = await openRig(overTheCli);
  references = await takeReferences(rig, "undisturbed");
  console.log(`crash matrix: FAULTS_SEED=${seed}, shard ${shardText(shard)}`);
});
after(() => rig.stop());

test("an undisturbed Database comes out the same through the proxy as without it", async () => {
  await rig.restart({ direct: true });
  const direct = await takeReferences(rig, "undisturbed-direct");
  await rig.restart();
  for (const stage of stages) assertSameObjects(direct[stage].picture, references[stage].picture, stage);
  assert.equal(direct.create.writes.length, 0);
});

for (const [target, count] of [
  ["operator", 2],
  ["cli", 1],
  ["provider", 1],
  ["request", 1],
] as const) {
  proves(crashes[target], async (t) => {
    const chains = chainsFor(target, count);
    for (const [index, chain] of chains.entries()) await endureChain(t, chain, `${index + 1}/${chains.length}`);
  });
}

const pointsFor = (target: Target): Point[][] => pointsOf(target, (stage) => references[stage].writes);

function chainsFor(target: Target, count: number): Chain[] {
  if (single !== undefined) {
    const point = pointOf(single);
    return point.target === target ? [{ [point.stage]: point }] : [];
  }
  if (isWhole) return itemsOf(allChains(pointsFor(target)), shard);
  return someChains(pointsFor(target), count, seed);
}

/** Takes a new Database through all stages, each with its point. Throws where one of them strikes nothing. */
async function endureChain(t: TestContext, chain: Chain, progress: string): Promise<void> {
  const subject = await Subject.make(rig, `crash-${++made}`);
  for (const stage of stages) {
    const point = chain[stage];
    if (point === undefined) {
      await subject.observe(stage);
      continue;
    }
    let struck: true | undefined;
    await t.test(textOf(point), async () => {
      await strike(subject, point, progress);
      struck = true;
    });
    // what comes after would be about the same failure
    if (struck === undefined) break;
  }
}

/** How many Databases of its own a point gets whose write did not come: one run writes a few times less than another. */
const redraws = 2;

/**
 * Strikes the subject at the point. Where the write does not come, the subject is done with the stage undisturbed, and another
 * Database meets an earlier point of the stage; throws where that is not struck either.
 */
async function strike(subject: Subject, point: Point, progress: string): Promise<void> {
  const drawn = [point, ...earlierThan(point).slice(0, redraws)];
  for (const [index, one] of drawn.entries()) {
    const began = performance.now();
    const struck = await (index === 0 ? subject : await subjectBefore(one.stage)).endure(one, references[one.stage]);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${progress} ${textOf(one)} ${struck ? "struck" : "not reached"}, ${seconds} s`);
    if (struck) return;
  }
  assert.fail(`nothing was struck at ${drawn.map(textOf).join(", ")}`);
}

/** Points of the same kind at earlier writes, the latest first. */
const earlierThan = ({ nth, ...rest }: Point): Point[] =>
  Array.from({ length: nth - 1 }, (_, index) => ({ ...rest, nth: nth - 1 - index }));

/** A new Database that has come to just before the stage, undisturbed. */
async function subjectBefore(stage: Stage): Promise<Subject> {
  const subject = await Subject.make(rig, `crash-${++made}`);
  for (const one of stages.slice(0, stages.indexOf(stage))) await subject.observe(one);
  return subject;
}
