import assert from "node:assert/strict";
import test from "node:test";
import { catalogueIn } from "./catalogue";

const mapWith = (catalogue: unknown): unknown => ({ data: { "catalogue.json": JSON.stringify(catalogue) } });
const upgrade = { image: "registry.example.com/upgrade:1", from: "15.20" };

test("a version of PostgreSQL says what carries a major upgrade to it out, and from which version", () => {
  const catalogue = { postgresql: { "17.12": { image: "a:1", upgrade }, "15.20": { image: "b:1" } } };
  assert.deepEqual(catalogueIn(mapWith(catalogue)), catalogue);
});

const wrong: readonly [sentence: string, catalogue: unknown, says: RegExp][] = [
  ["without an image", { postgresql: { "17.12": { image: "a:1", upgrade: { from: "15.20" } } } }, /upgrade.*image/s],
  ["from no minor", { postgresql: { "17.12": { image: "a:1", upgrade: { ...upgrade, from: "15" } } } }, /from/],
  ["downwards", { postgresql: { "15.20": { image: "a:1", upgrade: { ...upgrade, from: "17.12" } } } }, /lower major/],
  ["of another engine", { mysql: { "9.7": { image: "a:1", upgrade: { ...upgrade, from: "8.4" } } } }, /of PostgreSQL/],
];

for (const [sentence, catalogue, says] of wrong) {
  test(`a major upgrade ${sentence} is no entry of a catalogue`, () => {
    assert.throws(() => catalogueIn(mapWith(catalogue)), says);
  });
}
