import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { fieldManager, labelsOf } from "../../components/naming";
import { begun, event, json, list, notFound } from "../../test/fakes/scripted-api";
import { connected } from "../../test/fakes/scripted-client";
import { ownDigestOf } from "../objects/managed-fields";
import { eventually } from "../../test/harness/eventually";
import { LiveWorld } from "./world";

const key = "team/shop";

const metadata = (name: string, time: string, labels: Readonly<Record<string, string>>): Record<string, unknown> => ({
  ...{ name, namespace: "team", uid: `uid-${name}`, resourceVersion: time.slice(-3, -1), generation: 1, labels },
  managedFields: [
    { manager: fieldManager, operation: "Apply", time, fieldsV1: { "f:spec": {} } },
    { manager: "kube-controller-manager", operation: "Update", subresource: "status", time: "2026-01-01T00:00:59Z" },
  ],
});

const ours = labelsOf("shop", "postgresql");

const statefulSet = (time: string, replicas = 1, labels: Readonly<Record<string, string>> = ours): unknown => ({
  metadata: metadata("shop", time, labels),
  spec: { replicas },
  status: { observedGeneration: 1, updateRevision: "r1" },
});

const job = (time: string, type?: string): unknown => ({
  metadata: metadata("shop-init", time, ours),
  status: { conditions: type === undefined ? [] : [{ type, status: "True" }] },
});

/** A cluster that has these, and a world that looks at it; `moved` are the Databases whose children moved, in order. */
async function looking(
  t: TestContext,
  kinds: Readonly<Record<string, { readonly there: readonly unknown[]; readonly then: readonly string[] }>>,
): Promise<{ readonly world: LiveWorld; readonly asked: readonly string[]; readonly moved: readonly string[] }> {
  const { api, client } = await connected(t);
  api.on(/^GET /, list("1"));
  api.on(/^GET .*watch=true/, begun());
  for (const [plural, { there, then }] of Object.entries(kinds)) {
    api.on(new RegExp(`^GET \\S*/${plural}\\?`), list("10", ...there));
    api.on(new RegExp(`^GET \\S*/${plural}\\?\\S*watch=true`), begun(...then));
  }
  api.on(/^GET \S*customresourcedefinitions/, json({ metadata: {}, items: [] }));
  api.on(/^GET \S*customresourcedefinitions\S*watch=true/, notFound);
  const moved: string[] = [];
  const ignore = (): void => undefined;
  const world = new LiveWorld({
    ...{ client, namespace: "system", watchNamespaces: [] },
    ...{ onAbsent: ignore, onInput: ignore, onProblem: ignore, onDatabase: ignore, onCatalogue: ignore, onJob: ignore },
    ...{ onState: ignore, keptBackups: () => undefined },
    onChild: (of) => void moved.push(of),
  });
  t.after(() => world.stop());
  await world.start();
  return { world, asked: api.asked, moved };
}

test("StatefulSets and Jobs are watched once, for what they are and for what of them is ours", async (t) => {
  const { world, asked } = await looking(t, {
    statefulsets: { there: [statefulSet("2026-01-01T00:00:11Z")], then: [] },
    jobs: { there: [job("2026-01-01T00:00:11Z", "Complete")], then: [] },
  });
  for (const plural of ["statefulsets", "jobs"]) {
    const lists = asked.filter((line) => line.includes(`/${plural}?`) && !line.includes("watch=true"));
    assert.equal(lists.length, 1, lists.join("\n"));
  }
  const { workload, jobs } = world.observe(key);
  assert.deepEqual(workload, { uid: "uid-shop", generation: 1, wanted: 1, seen: true, revision: "r1" });
  assert.deepEqual(
    jobs.map(({ name, state }) => [name, state]),
    [["shop-init", "succeeded"]],
  );
  assert.deepEqual([...world.children(key)].map(([name, { uid, terminating }]) => [name, uid, terminating]).sort(), [
    ["Job shop-init", "uid-shop-init", false],
    ["StatefulSet shop", "uid-shop", false],
  ]);
});

test("an edit of our fields shows in a child that is watched whole, and a status shows in none", async (t) => {
  const { world, moved } = await looking(t, {
    statefulsets: {
      there: [statefulSet("2026-01-01T00:00:11Z")],
      then: [event("MODIFIED", statefulSet("2026-01-01T00:00:22Z"))],
    },
    jobs: {
      there: [job("2026-01-01T00:00:11Z")],
      then: [event("MODIFIED", job("2026-01-01T00:00:11Z", "Complete"))],
    },
  });
  await eventually(() => {
    const children = world.children(key);
    const edited = ownDigestOf(statefulSet("2026-01-01T00:00:22Z"), fieldManager);
    assert.equal(children.get("StatefulSet shop")?.applied, edited);
    assert.equal(children.get("Job shop-init")?.applied, ownDigestOf(job("2026-01-01T00:00:11Z"), fieldManager));
    assert.equal(world.observe(key).jobs[0]?.state, "succeeded");
  });
  assert.deepEqual(new Set(moved), new Set([key]));
});

test("what goes, or loses the label of what the operator made, is no child any more", async (t) => {
  const { world } = await looking(t, {
    statefulsets: {
      there: [statefulSet("2026-01-01T00:00:11Z")],
      then: [event("MODIFIED", statefulSet("2026-01-01T00:00:11Z", 1, { app: "database", database: "shop" }))],
    },
    jobs: { there: [job("2026-01-01T00:00:11Z")], then: [event("DELETED", job("2026-01-01T00:00:11Z"))] },
  });
  await eventually(() => {
    assert.deepEqual([...world.children(key).keys()], []);
  });
  assert.equal(world.observe(key).workload?.wanted, 1);
});
