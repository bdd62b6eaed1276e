import assert from "node:assert/strict";
import test from "node:test";
import type { ApiRequest, Party } from "../harness/fault-proxy/request";
import { allChains, pointOf, pointsOf, someChains, textOf, type Chain } from "./points";
import { stages, type Stage } from "./stages";

const write = (by: Party): ApiRequest => ({
  ...{ verb: "patch", resource: "services", namespace: "a", name: "shop", subresource: "", path: "/", isWrite: true },
  by,
});
const counts: Readonly<Record<Stage, number>> = { create: 5, change: 3, scale: 2, delete: 4 };
/** One write of the operator, then those of the provider. */
const writesOf = (stage: Stage): ApiRequest[] => [
  write("operator"),
  ...Array.from({ length: counts[stage] - 1 }, () => write("provider")),
];
const textsOf = (chains: readonly Chain[]): string[] =>
  chains.flatMap((chain) => Object.values(chain).map((point) => textOf(point)));

test("an operator can die at every write, Pulumi at its provider's, and every write can be lost or refused", () => {
  const sizes = (["operator", "cli", "provider", "request"] as const).map((target) =>
    pointsOf(target, writesOf).map((ofStage) => ofStage.length),
  );
  assert.deepEqual(sizes, [
    [10, 6, 4, 8],
    [8, 4, 2, 6],
    [8, 4, 2, 6],
    [15, 9, 6, 12],
  ]);
});

test("all chains together hold every point once, and none has two of one stage", () => {
  const points = pointsOf("operator", writesOf);
  const chains = allChains(points);
  assert.equal(chains.length, 10);
  const texts = textsOf(chains);
  assert.equal(new Set(texts).size, texts.length);
  assert.deepEqual([...texts].sort(), points.flat().map(textOf).sort());
});

test("sessions, one after the other, come past every point, and the same seed takes the same points", () => {
  const points = pointsOf("request", writesOf);
  const sessions = Array.from({ length: 15 }, (_, seed) => someChains(points, 1, seed));
  assert.deepEqual([...new Set(textsOf(sessions.flat()))].sort(), points.flat().map(textOf).sort());
  for (const chain of sessions.flat()) assert.deepEqual(Object.keys(chain), [...stages]);
  assert.deepEqual(someChains(points, 2, 7), someChains(points, 2, 7));
});

test("a point is read from its text, and nothing else is", () => {
  assert.deepEqual(pointOf("change/cli/unanswered/3"), {
    stage: "change",
    target: "cli",
    moment: "unanswered",
    nth: 3,
  });
  assert.throws(() => pointOf("change/cli/unanswered/0"));
  assert.throws(() => pointOf("change/cli"));
});
