import assert from "node:assert/strict";
import test from "node:test";
import { PodNotes } from "./pod-notes";

/** Notes of the pod db-0, and what was written so far. */
function notesWith(fail = false): { readonly notes: PodNotes; readonly written: unknown[]; fails: boolean } {
  const written: unknown[] = [];
  const state = { fails: fail };
  const patch = (path: string, change: unknown): Promise<unknown> => {
    if (state.fails) return Promise.reject(new Error("away"));
    written.push([path, change]);
    return Promise.resolve({});
  };
  return Object.assign(state, { notes: new PodNotes({ patch }, "shop", "db-0"), written });
}

const path = (pod: string): string => `/api/v1/namespaces/shop/pods/${pod}`;

test("a role is a label, and the rest an annotation", async () => {
  const { notes, written } = notesWith();
  await notes.write({ role: "primary", state: "running" });
  const annotations = { status: '{"state":"running","role":"primary"}' };
  assert.deepEqual(written, [[path("db-0"), { metadata: { labels: { role: "primary" }, annotations } }]]);
});

test("who has no role loses the label", async () => {
  const { notes, written } = notesWith();
  await notes.write({ role: undefined, state: "starting", message: "why" });
  const annotations = { status: '{"state":"starting","message":"why"}' };
  assert.deepEqual(written, [[path("db-0"), { metadata: { labels: { role: null }, annotations } }]]);
});

test("what was just said is not said again, and what could not be said is", async () => {
  const stand = notesWith();
  await stand.notes.write({ role: "replica", state: "running" });
  await stand.notes.write({ role: "replica", state: "running" });
  assert.equal(stand.written.length, 1);
  stand.fails = true;
  await assert.rejects(stand.notes.write({ role: "primary", state: "running" }));
  stand.fails = false;
  await stand.notes.write({ role: "replica", state: "running" });
  assert.equal(stand.written.length, 2);
});

test("a former primary is deposed by its label alone", async () => {
  const { notes, written } = notesWith();
  await notes.depose("db-2");
  assert.deepEqual(written, [[path("db-2"), { metadata: { labels: { role: "replica" } } }]]);
});
