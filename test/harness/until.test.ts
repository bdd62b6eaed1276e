import assert from "node:assert/strict";
import test from "node:test";
import { untilObject } from "./until";

const place = { kind: "database", name: "shop", namespace: "n" };

/** A watch: its versions, and how it continues after them. */
type Watch = readonly [versions: readonly unknown[], then?: "ends" | "stays" | Error];

/** One after the other; nothing is there any more after the last. */
function clusterOf(...watches: readonly Watch[]): { follow: typeof follow; begun: () => number } {
  let begun = 0;
  async function* follow(_place: unknown, signal: AbortSignal): AsyncGenerator<unknown, void> {
    const [versions, then = "stays"] = watches[begun++] ?? [[]];
    for (const version of versions) yield version;
    if (then instanceof Error) throw then;
    if (then === "stays")
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reject(new Error("aborted"));
        });
      });
  }
  return { follow, begun: () => begun };
}

const version = (number: number, phase: string): unknown => ({
  metadata: { resourceVersion: String(number), generation: 1 },
  status: { phase, conditions: [{ type: "Ready", status: "False", reason: "Pending", message: "not yet" }] },
});
const phaseIs =
  (wanted: string) =>
  (object: unknown): string => {
    const text = JSON.stringify(object);
    assert.ok(text.includes(`"phase":"${wanted}"`), `it is not ${wanted}`);
    return text;
  };

test("the current version may be the one", async () => {
  const cluster = clusterOf([[version(1, "Ready")]]);
  assert.match(await untilObject(cluster, place, phaseIs("Ready")), /"resourceVersion":"1"/);
});

test("a version that is there only for a moment is seen", async () => {
  const cluster = clusterOf([[version(1, "Old"), version(2, "Brief"), version(3, "New")]]);
  assert.match(await untilObject(cluster, place, phaseIs("Brief")), /"resourceVersion":"2"/);
});

test("that an object is gone can be waited for", async () => {
  const cluster = clusterOf([[version(1, "Old"), undefined]]);
  await untilObject(cluster, place, (object) => {
    assert.equal(object, undefined);
  });
});

test("a watch that ends, expires or breaks is started again", async () => {
  const cluster = clusterOf(
    [[version(1, "Old")], "ends"],
    [[version(1, "Old")], new Error("the watch has ended: too old resource version")],
    [[], new Error("socket hang up")],
    [[version(1, "Old"), version(2, "Ready")]],
  );
  await untilObject(cluster, place, phaseIs("Ready"), { everyMs: 1 });
  assert.equal(cluster.begun(), 4);
});

test("a check that takes its time sees every version", async () => {
  const cluster = clusterOf([[version(1, "Old"), version(2, "Ready")]]);
  const slowly = async (object: unknown): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return phaseIs("Ready")(object);
  };
  assert.match(await untilObject(cluster, place, slowly), /"resourceVersion":"2"/);
});

test("at the deadline it reports what was last seen, and why that is not it", async () => {
  const cluster = clusterOf([[version(1, "Old"), version(2, "Pending")]]);
  await assert.rejects(untilObject(cluster, place, phaseIs("Ready"), { withinMs: 30 }), {
    message: [
      "not within 0.03 s: it is not Ready",
      "last seen of database n/shop: resourceVersion 2; generation 1; phase Pending; Ready=False Pending: not yet",
    ].join("\n"),
  });
});

test("at the deadline it reports that there was nothing, and what kept it from looking", async () => {
  const away = Array.from({ length: 100 }, (): Watch => [[], new Error("connect ECONNREFUSED")]);
  await assert.rejects(
    untilObject(clusterOf(...away), place, phaseIs("Ready"), { withinMs: 30, everyMs: 10 }),
    /not within 0\.03 s: connect ECONNREFUSED\nlast seen of database n\/shop: nothing$/,
  );
});

test("it looks once, however short the time", async () => {
  const cluster = clusterOf([[version(1, "Ready")]]);
  await untilObject(cluster, place, phaseIs("Ready"), { withinMs: 0 });
});

test("a watch whose connection died silently is noticed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const cluster = clusterOf([[version(1, "Old")]], [[version(2, "Ready")]]);
  const found = untilObject(cluster, place, phaseIs("Ready"), { withinMs: 60_000 });
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  t.mock.timers.tick(10_000);
  assert.match(await found, /"resourceVersion":"2"/);
});
