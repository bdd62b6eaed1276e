import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fakeCluster, withSpec, type FakeCluster } from "../../test/fakes/plugin/cluster";
import { revisions } from "../../test/fakes/plugin/revisions";
import { everything, orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";

const plugin = (line: string, some: Partial<FakeCluster> = {}): Promise<Ended> =>
  runPlugin(line, { cluster: fakeCluster({ objects: everything, ...some }) });

const columnsIn = (out: string): string[][] =>
  out
    .trim()
    .split("\n")
    .map((line) => line.split(/ {3,}/));

test("each change has a line, the newest first: by whom, what came of it, and what it was", async () => {
  const { out, code } = await plugin("history orders");
  assert.equal(code, 0);
  assert.deepEqual(columnsIn(out), [
    ["REV", "WHEN", "BY", "RESULT", "EFFECT", "CHANGE"],
    ["41", "2026-11-27 13:00 UTC", "argocd", "Complete", "restarted 1", "max_connections 100 → 150"],
    [
      ...["40", "2026-11-22 02:03 UTC", "jane, approved: maria", "Complete", "restarted 3, no primary 2 s"],
      "image postgresql:17.11 → postgresql:17.12, version 17.11 → 17.12",
    ],
    [
      ...["39", "2026-11-21 17:03 UTC", "kubectl-edit", "Complete", "none"],
      "put back: Service orders-ro was edited by kubectl-edit: spec.selector",
    ],
  ]);
});

test("of one all is told: what was foretold, and what happened to members", async () => {
  const { out } = await plugin("history orders --revision 40");
  for (const pattern of [
    /^shop\/orders {3}revision 40 {3}Complete\n/,
    /\nBy {8}jane, through argocd-controller, generation 3\nApproved {2}by maria, plan 51d0e2b6a47f\nForetold {2}all members restart\n {10}another member/,
    /\n {2}spec\.version {2}17\.11 → 17\.12\n/,
    /orders-0 Interrupted for 2 s\n {4}└─ orders-0, which led, was restarted\n {7}└─ revision 40: /,
  ])
    assert.match(out, pattern);
});

test("programs get the objects, and a spec to apply again", async () => {
  const List = z.object({ items: z.array(z.object({ kind: z.literal("DatabaseRevision") })) });
  assert.equal(List.parse(JSON.parse((await plugin("history orders -o json")).out)).items.length, 3);
  assert.match(
    (await plugin("history orders --revision=39 -o yaml")).out,
    /\n {2}template:\n(.*\n)* {4}version: "?17\.11/,
  );
  assert.match((await plugin("history orders -o name")).out, /^databaserevision\.example\.com\/orders-uid-orde-41\n/);
});

const refusals: readonly (readonly [line: string, some: Partial<FakeCluster>, said: RegExp])[] = [
  ["history orders --revision 7", {}, /there is no revision 7\n {2}there are 39 to 41\n/],
  ["history orders --revision seven", {}, /--revision is seven: write a number/],
  ["history ordres", {}, /there is no Database "ordres" .*\n {2}did you mean orders\?/],
  ["history orders", { unknown: ["databaserevisions"] }, /the cluster does not have databaserevisions\.example\.com/],
  [
    "history orders",
    { forbidden: ["databaserevisions"] },
    /you may not list databaserevisions\.example\.com in namespace shop/,
  ],
];
for (const [line, some, said] of refusals) {
  test(`${line} ends with 2, and says ${said.source.slice(0, 40)}`, async () => {
    const { code, err } = await plugin(line, some);
    assert.match(err, said);
    assert.equal(code, 2);
  });
}

test("those of a Database that is gone are told as that, and none yet is no error", async () => {
  assert.match(
    (await plugin("history orders", { objects: revisions })).out,
    /^The Database orders does not exist any more; these are left of it\.\nREV /,
  );
  const { code, out } = await plugin("history orders", { objects: [orders] });
  assert.match(out, /^No revisions found/);
  assert.equal(code, 0);
});

/** The same revision of the same Database, at another time, or of another one. */
const changed = (
  revision: (typeof revisions)[number],
  spec: object,
  name = revision.metadata.name,
): typeof revision => ({
  ...withSpec(revision, spec),
  metadata: { ...revision.metadata, name },
});

const numbersIn = (out: string): (string | undefined)[] =>
  columnsIn(out)
    .slice(1)
    .map(([number]) => number);

test("the order is that of the numbers, whatever clocks the operators had", async () => {
  const objects = everything.map((one) => (one === revisions[1] ? changed(one, { at: "2026-12-24T00:00:00Z" }) : one));
  assert.deepEqual(numbersIn((await plugin("history orders", { objects })).out), ["41", "40", "39"]);
});

const List = z.object({ items: z.array(z.unknown()) });

test("the API server is asked for those of the Database alone, and an old one for all", async () => {
  const [first] = revisions;
  assert.ok(first);
  const objects = [...everything, changed(first, { database: "till" }, "till-39")];
  for (const isOld of [false, true]) {
    const asked: number[] = [];
    const cluster = fakeCluster({ objects, isOld });
    const listening: typeof cluster = {
      ...cluster,
      get: async (path, query, signal) => {
        const answer = await cluster.get(path, query, signal);
        if (path.endsWith("/databaserevisions")) asked.push(List.parse(answer).items.length);
        return answer;
      },
    };
    const { out } = await runPlugin("history orders", { cluster: listening });
    assert.deepEqual(numbersIn(out), ["41", "40", "39"]);
    assert.deepEqual(asked, [isOld ? 4 : 3]);
  }
  assert.equal((await plugin("why orders-0", { isOld: true })).code, 0);
});
