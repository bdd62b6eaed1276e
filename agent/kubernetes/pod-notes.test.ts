import assert from "node:assert/strict";
import test from "node:test";
import { podUidIn } from "./client";
import { PodNotes } from "./pod-notes";

const running = { role: "primary", state: "running" } as const;

/** Notes on `shop/orders-0`, what was written, and a clock. */
function stand(uid?: string): {
  notes: PodNotes;
  written: unknown[];
  pass: (ms: number) => void;
  part: (isAway: boolean) => void;
} {
  let now = 0;
  let away = false;
  const written: unknown[] = [];
  const client = {
    podUid: () => Promise.resolve(uid),
    patch: (path: string, change: unknown) =>
      away ? Promise.reject(new Error("away")) : Promise.resolve(written.push([path, change])),
  };
  const notes = new PodNotes(client, "shop", "orders-0", () => now);
  return { notes, written, pass: (ms) => void (now += ms), part: (isAway) => void (away = isAway) };
}

const path = "/api/v1/namespaces/shop/pods/orders-0";

test("a pod writes notes only about itself, not about a later pod of its name", async () => {
  const { notes, written } = stand("a-uid");
  await notes.write(running);
  const metadata = { labels: { role: "primary" }, annotations: { status: '{"state":"running","role":"primary"}' } };
  assert.deepEqual(written, [[path, { metadata: { ...metadata, uid: "a-uid" } }]]);
});

test("unchanged notes are written again only from time to time, in case another client removed them", async () => {
  const { notes, written, pass } = stand();
  for (const ms of [0, 1_000, 5_000]) {
    pass(ms);
    await notes.write(running);
  }
  assert.equal(written.length, 1);
  pass(5_000);
  await notes.write(running);
  assert.equal(written.length, 2);
  await notes.write({ role: undefined, state: "stopping" });
  assert.equal(written.length, 3);
});

test("whether a replica streams is reported in Patroni's words", async () => {
  const { notes, written } = stand();
  await notes.write({ role: "replica", state: "running", streaming: true });
  await notes.write({ role: "replica", state: "running", streaming: false });
  const said = (replication_state: string): unknown => [
    path,
    {
      metadata: {
        labels: { role: "replica" },
        annotations: { status: JSON.stringify({ state: "running", replication_state, role: "replica" }) },
      },
    },
  ];
  assert.deepEqual(written, [said("streaming"), said("stopped")]);
});

test("a member without a role loses the label", async () => {
  const { notes, written } = stand();
  await notes.write({ role: undefined, state: "starting", message: "why" });
  const annotations = { status: '{"state":"starting","message":"why"}' };
  assert.deepEqual(written, [[path, { metadata: { labels: { role: null }, annotations } }]]);
});

test("a note that could not be written is written as soon as it can be", async () => {
  const { notes, written, part } = stand();
  await notes.write(running);
  part(true);
  await assert.rejects(notes.write({ role: "replica", state: "running" }));
  part(false);
  await notes.write(running);
  assert.equal(written.length, 2);
});

test("a previous primary is demoted by its label alone", async () => {
  const { notes, written } = stand("a-uid");
  await notes.depose("orders-2");
  assert.deepEqual(written, [["/api/v1/namespaces/shop/pods/orders-2", { metadata: { labels: { role: "replica" } } }]]);
});

test("the pod's uid is read from the token that the kubelet gives it", () => {
  const claims = { "kubernetes.io": { namespace: "shop", pod: { name: "orders-0", uid: "a-uid" } } };
  assert.equal(podUidIn(`header.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`), "a-uid");
  for (const token of ["", "one part", "a.b.c", `a.${Buffer.from("{}").toString("base64url")}.c`]) {
    assert.equal(podUidIn(token), undefined);
  }
});
