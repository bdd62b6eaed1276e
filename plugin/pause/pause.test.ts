import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fakeCluster, withSpec, type FakeCluster } from "../../test/fakes/plugin/cluster";
import { orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";
import { ApiFailure } from "../command/world";

const paused = withSpec(orders, { paused: true });

const report = {
  ...{
    outcome: "Planned",
    operation: "Update",
    summary: "2 to update",
    effect: "RollingRestart",
    digest: "aa11bb22cc33",
  },
  consequences: [{ effect: "RollingRestart", members: ["orders-0"], message: "all members restart" }],
};

interface Some extends Partial<FakeCluster> {
  readonly answer?: string;
}

interface Written extends Ended {
  readonly patches: readonly unknown[];
  /** What the operator was asked about. */
  readonly asked: readonly unknown[];
}

async function plugin(line: string, { answer, patched, ...fake }: Some = {}): Promise<Written> {
  const patches: unknown[] = [];
  const asked: unknown[] = [];
  const cluster = fakeCluster({
    objects: [paused],
    preview: (body) => {
      asked.push(body);
      return report;
    },
    ...fake,
    patched: (body, query) => {
      patches.push([body, query]);
      patched?.(body, query);
    },
  });
  const ended = await runPlugin(line, { cluster, ...(answer !== undefined && { answer }) });
  return { ...ended, patches, asked };
}

const manager = { fieldManager: "kubectl-database-operator" };

test("a pause is written at once, and says how it ends", async () => {
  const { code, out, err, patches } = await plugin("pause orders", { objects: [orders] });
  assert.equal(
    out,
    "shop/orders is paused: the operator leaves it as it is until kubectl database-operator resume orders -n shop; what has begun is finished\n",
  );
  assert.deepEqual([code, err, patches], [0, "", [[{ spec: { paused: true } }, manager]]]);
});

test("who resumes sees what then happens, and is asked", async () => {
  const { code, out, err, patches, asked } = await plugin("resume orders", { answer: "y" });
  assert.match(out, /^shop\/orders {3}changed\nEffect {2}RESTARTS: all members restart\n/);
  assert.match(out, /\nshop\/orders is not paused any more\nNext {2}kubectl database-operator wait orders -n shop\n$/);
  assert.equal(err, "Resume it? [y/N] ");
  assert.deepEqual(patches, [[{ metadata: { resourceVersion: "900" }, spec: { paused: false } }, manager]]);
  const Question = z.object({ spec: z.object({ database: z.object({ spec: z.looseObject({}) }) }) });
  assert.deepEqual(
    asked.map((body) => Question.parse(body).spec.database.spec),
    [withSpec(orders, { paused: false })["spec"]],
  );
  assert.equal(code, 0);
});

test("with --yes it is not asked about, and not held to the version that was seen", async () => {
  const { code, err, patches } = await plugin("resume orders --yes");
  assert.deepEqual([code, err, patches], [0, "", [[{ spec: { paused: false } }, manager]]]);
});

const unwritten: Readonly<Record<string, readonly [line: string, some: Some, code: number, said: RegExp]>> = {
  "a no": ["resume orders", { answer: "" }, 1, /not resumed\n$/],
  "no one to ask": ["resume orders", {}, 1, /no terminal to ask at; --yes resumes it\n$/],
  "a dry run": ["resume orders --dry-run", { answer: "y" }, 1, /RESTARTS/],
  "what is paused already": ["pause orders", {}, 0, /^shop\/orders is paused already\n$/],
  "what is not paused": ["resume orders", { objects: [orders] }, 0, /^shop\/orders is not paused\n$/],
  "one that is being deleted": [
    "pause orders",
    { objects: [{ ...orders, metadata: { ...orders.metadata, deletionTimestamp: "2026-11-27T14:00:00Z" } }] },
    2,
    /is being deleted/,
  ],
  "one that there is not": ["pause order", {}, 2, /there is no Database "order" .*\n {2}did you mean orders\?/],
  "who may not": [
    "pause orders",
    { objects: [orders], withoutVerbs: ["patch"] },
    2,
    /you may not patch databases\.example\.com in namespace shop\n {2}the role edit is enough.*\n.*--clusterrole=edit --user=jane -n shop/,
  ],
};
for (const [what, [line, some, expected, said]] of Object.entries(unwritten)) {
  test(`nothing is written after ${what}`, async () => {
    const { code, out, err, patches } = await plugin(line, some);
    assert.match(out + err, said);
    assert.deepEqual([code, patches], [expected, []]);
  });
}

test("where no preview is served, the question says so", async () => {
  const { out, err } = await runPlugin("resume orders", { cluster: fakeCluster({ objects: [paused] }), answer: "n" });
  assert.match(out, /not previewed/);
  assert.match(err, /^Resume it\? What it does could not be told\. /);
});

test("what was edited since it was previewed is not resumed", async () => {
  const { code, err } = await plugin("resume orders", {
    answer: "y",
    patched: () => {
      throw new ApiFailure(409, "Conflict", "the object has been modified");
    },
  });
  assert.match(err, /shop\/orders was changed since it was previewed: nothing is written\n/);
  assert.equal(code, 2);
});

test("a tool that has the Database is named, as it may write over it", async () => {
  const metadata = { ...orders.metadata, annotations: { "argocd.argoproj.io/tracking-id": "shop:x" } };
  const { code, err } = await plugin("pause orders", { objects: [{ ...orders, metadata }] });
  assert.match(err, /^Argo CD \(shop:x\) has this Database, and may write over spec\.paused; .* in Git\n$/);
  assert.equal(code, 0);
});
