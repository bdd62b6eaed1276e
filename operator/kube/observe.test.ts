// What the operator takes from a member's pod, as the kubelet and the member's own agent write it.
import assert from "node:assert/strict";
import type { Member } from "../domain/members";
import test from "node:test";
import { podOf, remembering, workloadOf } from "./observe";

const began = "2026-01-01T10:00:00Z";
const later = "2026-01-01T10:05:00Z";

interface Some {
  readonly ready?: boolean;
  /** When that last changed. Default: when the pod began. */
  readonly since?: string;
  readonly container?: Record<string, unknown>;
  readonly agent?: unknown;
  readonly uid?: string;
  readonly engine?: string;
}

function podWith({
  ready = false,
  since = began,
  container = {},
  agent,
  uid = "u",
  engine = "postgresql",
}: Some): unknown {
  return {
    metadata: {
      ...{ name: "shop-2", namespace: "team", uid },
      labels: {
        ...{ app: "database", database: "shop", "app.kubernetes.io/component": "database", role: "replica" },
        ...{ "controller-revision-hash": "shop-1a2b", "app.kubernetes.io/name": engine },
      },
      annotations: agent === undefined ? {} : { status: typeof agent === "string" ? agent : JSON.stringify(agent) },
    },
    status: {
      conditions: [
        { type: "Initialized", status: "True", lastTransitionTime: began },
        { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: since },
      ],
      containerStatuses: [{ name: "postgresql", restartCount: 0, state: { running: {} }, ...container }],
    },
  };
}

function memberIn(pod: unknown): Member {
  const member = podOf(pod)?.member;
  assert.ok(member !== undefined);
  return member;
}

const failureIn = (some: Some): string | undefined => memberIn(podWith(some)).failure;
const waits = (reason: string): Some => ({ container: { state: { waiting: { reason, message: "back-off" } } } });

test("a member's revision is that of the template it was made from", () => {
  assert.equal(memberIn(podWith({})).revision, "shop-1a2b");
});

for (const [what, some, failure] of [
  [
    "the server's start failed",
    { agent: { state: "start failed", role: "replica" } },
    'the server says "start failed"',
  ],
  [
    "a restart of the server failed",
    { agent: { state: "restart failed (starting)" } },
    'the server says "restart failed (starting)"',
  ],
  ["the container keeps exiting", waits("CrashLoopBackOff"), "container postgresql: CrashLoopBackOff"],
  ["the image cannot be had", waits("ImagePullBackOff"), "container postgresql: ImagePullBackOff"],
  ["the container runs between two ends", { container: { restartCount: 2 } }, "container postgresql keeps exiting"],
  ["the server starts", { agent: { state: "starting" } }, undefined],
  ["the server recovers after a crash", { agent: { state: "crashed" } }, undefined],
  ["the data are copied", { agent: { state: "creating replica" } }, undefined],
  ["the container is made", waits("ContainerCreating"), undefined],
  ["the container was restarted once", { container: { restartCount: 1 } }, undefined],
  ["the member is ready", { ready: true, agent: { state: "start failed" }, container: { restartCount: 7 } }, undefined],
  ["the annotation is not ours", { agent: "ok" }, undefined],
] as const satisfies readonly (readonly [string, Some, string | undefined])[]) {
  test(`${failure === undefined ? "no failure" : "a failure"}: ${what}`, () => {
    assert.equal(failureIn(some), failure);
  });
}

test("a member has served once it was ready, and not before", () => {
  assert.equal(memberIn(podWith({})).served, false);
  assert.equal(memberIn(podWith({ ready: true, since: later })).served, true);
  assert.equal(memberIn(podWith({ since: later })).served, true);
});

test("a failure is remembered for the same pod until it is ready", () => {
  const seen = (some: Some): ReturnType<typeof podOf> => podOf(podWith(some));
  const failed = seen({ agent: { state: "start failed" } });
  const between = remembering(seen({ agent: { state: "starting" } }), failed);
  assert.equal(between?.member?.failure, 'the server says "start failed"');
  assert.equal(remembering(seen({ agent: { state: "starting" }, uid: "other" }), failed)?.member?.failure, undefined);
  assert.equal(remembering(seen({ ready: true }), between)?.member?.failure, undefined);
  assert.equal(remembering(undefined, failed), undefined);
});

for (const [what, some, streaming] of [
  ["Patroni says so", { agent: { state: "running", replication_state: "streaming" } }, true],
  ["Patroni says nothing of it", { agent: { state: "running", role: "replica" } }, false],
  ["Patroni says something else", { agent: { state: "running", replication_state: "in archive recovery" } }, false],
  ["it is not ready", { ready: false, agent: { state: "running", replication_state: "streaming" } }, false],
  ["nothing is reported", {}, true],
  ["MySQL's agent says nothing of it", { engine: "mysql", agent: { state: "running" } }, true],
  [
    "MongoDB's agent says that it knows no primary",
    { engine: "mongodb", agent: { replication_state: "stopped" } },
    false,
  ],
] as const satisfies readonly (readonly [string, Some, boolean])[]) {
  test(`a replica ${streaming ? "streams" : "does not stream"} where ${what}`, () => {
    assert.equal(memberIn(podWith({ ready: true, ...some })).streaming, streaming);
  });
}
const fatal = 'FATAL:  could not access file "nosuch": No such file or directory';

test("a failure has the server's own last words, as its agent or its container leaves them", () => {
  const byAgent = memberIn(podWith({ agent: { state: "start failed", message: "[ERROR] unknown variable 'x=1'" } }));
  assert.equal(byAgent.failure, `the server says "start failed": [ERROR] unknown variable 'x=1'`);
  assert.equal(byAgent.complaint, "[ERROR] unknown variable 'x=1'");
  const lastState = { terminated: { message: `LOG:  starting\n${fatal}\n`, exitCode: 1 } };
  const state = { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } };
  const byContainer = memberIn(podWith({ container: { restartCount: 3, state, lastState } }));
  assert.equal(byContainer.failure, `container postgresql: CrashLoopBackOff: ${fatal}`);
  assert.equal(byContainer.complaint, fatal);
  assert.equal(memberIn(podWith({ container: { restartCount: 3, state } })).complaint, undefined);
  const long = memberIn(podWith({ agent: { state: "start failed", message: "x".repeat(5_000) } }));
  assert.equal(long.complaint?.length, 400);
});

test("a member that needs a person's decision says why, and has not failed", () => {
  const agent = { state: "undecided", message: "the last primary shop-2 is not there" };
  const asking = memberIn(podWith({ agent }));
  assert.deepEqual([asking.undecided, asking.failure], [agent.message, undefined]);
  assert.equal(memberIn(podWith({ agent: { ...agent, state: "starting" } })).undecided, undefined);
});

test("the server's words are remembered with the failure", () => {
  const seen = (some: Some): ReturnType<typeof podOf> => podOf(podWith(some));
  const failed = seen({ agent: { state: "start failed", message: "words" } });
  assert.equal(remembering(seen({ agent: { state: "starting" } }), failed)?.member?.complaint, "words");
  const other = seen({ agent: { state: "start failed", message: "other words" } });
  assert.equal(remembering(other, failed)?.member?.complaint, "other words");
  assert.equal(remembering(seen({ ready: true }), failed)?.member?.complaint, undefined);
});

test("what an agent writes at every turn changes nothing", () => {
  const turn = (xlog: number): Member =>
    memberIn(podWith({ ready: true, agent: { state: "running", xlog_location: xlog } }));
  assert.deepEqual(turn(1), turn(2));
});

test("a StatefulSet reports the revision of its template once its controller has seen it", () => {
  const set = (observedGeneration: number): unknown => ({
    metadata: { name: "shop", namespace: "team", uid: "w", generation: 2 },
    spec: { replicas: 3 },
    status: { observedGeneration, updateRevision: "shop-2", currentRevision: "shop-1" },
  });
  assert.deepEqual(workloadOf(set(2)), { uid: "w", generation: 2, wanted: 3, seen: true, revision: "shop-2" });
  assert.equal(workloadOf(set(1)).seen, false);
});
