// The crash matrix: whatever dies at whichever write, a Database ends up as if nothing had happened. FAULTS=all takes all
// points (hours), else a session takes some chains of them; FAULTS_SEED chooses which, FAULTS_POINT takes a single one.
import assert from "node:assert/strict";
import test, { after, before, type TestContext } from "node:test";
import { crashes } from "../reliability/cases/crashes";
import { proves } from "../reliability/case";
import { allChains, pointOf, pointsOf, someChains, textOf, type Chain, type Target } from "./points";
import { Subject, takeReferences, type References } from "./matrix";
import { stages } from "./stages";
import { openStand, overTheCli, type Stand } from "./stand";

let stand: Stand;
let references: References;
let made = 0;

const dayMs = 86_400_000;
/** By default each day takes other chains than the one before. */
const seed = Number(process.env["FAULTS_SEED"] ?? Math.floor(Date.now() / dayMs));
const single = process.env["FAULTS_POINT"];

before(async () => {
  // the points are counted in the processes of one run
  stand = await openStand(overTheCli);
  references = await takeReferences(stand, "undisturbed");
  console.log(`crash matrix: FAULTS_SEED=${seed}`);
});
after(() => stand.stop());

test("an undisturbed Database comes out the same through the proxy as without it", async () => {
  await stand.restart({ direct: true });
  const direct = await takeReferences(stand, "undisturbed-direct");
  await stand.restart();
  for (const stage of stages) assert.deepEqual(direct[stage].picture.objects, references[stage].picture.objects, stage);
  assert.equal(direct.create.writes.length, 0);
});

for (const [target, count] of [
  ["operator", 2],
  ["cli", 1],
  ["provider", 1],
  ["request", 1],
] as const) {
  proves(crashes[target], async (t) => {
    let struck = 0;
    const chains = chainsFor(target, count);
    for (const [index, chain] of chains.entries())
      struck += await endureChain(t, chain, `${index + 1}/${chains.length}`);
    assert.ok(chains.length === 0 || struck > 0, "nothing was struck at any point");
  });
}

function chainsFor(target: Target, count: number): Chain[] {
  if (single !== undefined) {
    const point = pointOf(single);
    return point.target === target ? [{ [point.stage]: point }] : [];
  }
  const points = pointsOf(target, (stage) => references[stage].writes);
  return process.env["FAULTS"] === "all" ? allChains(points) : someChains(points, count, seed);
}

/** Takes a new Database through all stages, each with its point; returns how many points struck something. */
async function endureChain(t: TestContext, chain: Chain, progress: string): Promise<number> {
  const subject = await Subject.make(stand, `crash-${++made}`);
  let struck = 0;
  for (const stage of stages) {
    const point = chain[stage];
    if (point === undefined) {
      await subject.observe(stage);
      continue;
    }
    let hit: boolean | undefined;
    await t.test(textOf(point), async () => {
      const began = performance.now();
      hit = await subject.endure(point, references[stage]);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${progress} ${textOf(point)} ${hit ? "struck" : "not reached"}, ${seconds} s`);
    });
    // what comes after would be about the same failure
    if (hit === undefined) break;
    struck += hit ? 1 : 0;
  }
  return struck;
}
