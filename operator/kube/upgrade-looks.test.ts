import assert from "node:assert/strict";
import test from "node:test";
import { begunUpgrade } from "../domain/upgrade";
import { ClusterUpgradeLooks } from "./upgrade-looks";

const claim = (claimName: string): unknown => ({ name: "data", persistentVolumeClaim: { claimName } });
const pod = (volumes: readonly unknown[], some: object = {}): object => ({
  metadata: { name: "pod", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { volumes },
  ...some,
});
const telling = (createdAt: string, message: string): object => ({
  ...pod([]),
  metadata: { creationTimestamp: createdAt },
  status: { phase: "Failed", containerStatuses: [{ state: { terminated: { message } } }] },
});
const told = (message: string): string => JSON.stringify({ upgrade: "Failed", seconds: 3, message });

interface Cluster {
  readonly pods?: readonly object[];
  readonly job?: object;
  readonly asked?: unknown[];
}

const looksAt = ({ pods = [], job, asked = [] }: Cluster): ClusterUpgradeLooks =>
  new ClusterUpgradeLooks({
    find: () => Promise.resolve(job),
    get: (path, options) => (asked.push([path, options?.query]), Promise.resolve({ items: pods })),
  });

test("each pod with the volume of a member is counted, also while it ends, and a Job whose containers have ended is not", async () => {
  const asked: unknown[] = [];
  const pods = [
    pod([claim("data-shop-0")]),
    pod([{ name: "tmp" }, claim("data-shop-9")], { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    pod([claim("data-shop-0")], { status: { phase: "Pending" } }),
    pod([claim("data-shop-0")], { status: { phase: "Succeeded" } }),
    pod([claim("shop-backup"), claim("data-shop-10"), claim("data-other-0")]),
  ];
  assert.equal(await looksAt({ pods, asked }).occupants("team/shop"), 3);
  const query = { labelSelector: "app=database,database=shop" };
  assert.deepEqual(asked, [["/api/v1/namespaces/team/pods", query]]);
});

test("the first member is alone once it says so itself, and names no other one that may lead", async () => {
  const lease = (annotations: object): object => ({ metadata: { annotations } });
  const cases: readonly (readonly [object | undefined, boolean])[] = [
    [undefined, false],
    [lease({}), false],
    [lease({ leader: "shop-0", failsafe: '{"shop-0":"a","shop-1":"b"}' }), false],
    [lease({ leader: "shop-1", failsafe: '{"shop-0":"a"}' }), false],
    [lease({ leader: "shop-0", failsafe: "[" }), false],
    [lease({ leader: "shop-0", failsafe: '{"shop-0":"a"}' }), true],
  ];
  for (const [job, is] of cases)
    assert.equal(await looksAt(job === undefined ? {} : { job }).leadsAlone("team/shop"), is, JSON.stringify(job));
});

const jobWith = (annotation: string, status: object = {}, metadata: object = {}): object => ({
  metadata: { name: "shop-upgrade", namespace: "team", uid: "uid-7", ...metadata },
  spec: {
    template: {
      metadata: { annotations: { "database.example.com/upgrade": annotation } },
      spec: { containers: [{ image: "server:17" }] },
    },
  },
  status,
});
const complete = { conditions: [{ type: "Complete", status: "True" }] };

test("a Job counts where it answers exactly this request, and does not go", async () => {
  assert.equal(await looksAt({}).job("team/shop", "convert"), undefined);
  assert.equal(await looksAt({ job: jobWith("rehearse", complete) }).job("team/shop", "convert"), undefined);
  const going = jobWith("convert", complete, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  assert.equal(await looksAt({ job: going }).job("team/shop", "convert"), undefined);
  assert.deepEqual(await looksAt({ job: jobWith("convert", complete) }).job("team/shop", "convert"), {
    state: "succeeded",
  });
  assert.deepEqual(await looksAt({ job: jobWith("convert") }).job("team/shop", "convert"), { state: "running" });
});

test("of several attempts the last one's report counts, on one line, and what is none is passed over", async () => {
  const pods = [
    telling("2026-01-01T00:00:01Z", told("first")),
    telling("2026-01-01T00:00:03Z", told(`second\nline\u001b[31m ${"x".repeat(2_000)}`)),
    telling("2026-01-01T00:00:04Z", "killed"),
  ];
  const seen = await looksAt({ pods, job: jobWith("convert") }).job("team/shop", "convert");
  assert.match(seen?.report?.message ?? "", /^second line \[31m x+/);
  assert.ok((seen?.report?.message ?? "").length <= 640);
});

test("a report that a newer program wrote differently is still one, without what cannot be read", async () => {
  const message = JSON.stringify({ upgrade: "Converted", seconds: 3, message: "done", slots: "none", indexes: -1 });
  const seen = await looksAt({ pods: [telling("", message)], job: jobWith("a") }).job("team/shop", "a");
  assert.deepEqual(seen?.report, { upgrade: "Converted", seconds: 3, message: "done", slots: [], indexes: 0 });
});

test("initialized is what the init Job of the image that is declared has done, and no former one", async () => {
  const ofJob = (job: object | undefined, image: string): Promise<boolean> =>
    looksAt({ ...(job !== undefined && { job }) }).isInitialized("team/shop", image);
  assert.equal(await ofJob(undefined, "server:17"), false);
  assert.equal(await ofJob(jobWith("", complete), "server:17"), true);
  assert.equal(await ofJob(jobWith("", complete), "server:15"), false);
  assert.equal(await ofJob(jobWith(""), "server:17"), false);
  assert.equal(await ofJob(jobWith("", complete, { deletionTimestamp: "x" }), "server:17"), false);
});

test("when a Job began is told", async () => {
  const startTime = "2026-01-01T00:00:00Z";
  const seen = await looksAt({ job: jobWith("convert", { startTime }) }).job("team/shop", "convert");
  assert.deepEqual(seen, { state: "running", startedAt: startTime });
});

test("what the Job's pod waits for is told where only a person ends it, and not of a pod that has ended", async () => {
  const waiting = (reason: string, phase = "Pending"): object =>
    pod([], { status: { phase, containerStatuses: [{ state: { waiting: { reason } } }] } });
  const seen = (...pods: object[]): Promise<unknown> =>
    looksAt({ pods, job: jobWith("convert") }).job("team/shop", "convert");
  assert.deepEqual(await seen(waiting("ImagePullBackOff")), { state: "running", waits: "ImagePullBackOff" });
  assert.deepEqual(await seen(waiting("ContainerCreating")), { state: "running" });
  assert.deepEqual(await seen(waiting("ErrImagePull", "Failed")), { state: "running" });
});

test("what the last run declared is read from the StatefulSet; what cannot be read counts as none", async () => {
  const upgrade = begunUpgrade("uid-1", {
    ...{ from: "15.20", to: "17.12", images: { from: "server:15", to: "server:17", job: "upgrade:17" } },
  });
  const declaredBy = (note: string | undefined): Promise<unknown> =>
    looksAt({
      job: { metadata: { annotations: note === undefined ? {} : { "database.example.com/upgrade": note } } },
    }).declared("team/shop");
  assert.deepEqual(await declaredBy(JSON.stringify(upgrade)), upgrade);
  for (const note of [undefined, "", "{", JSON.stringify({ ...upgrade, phase: "Dancing" })])
    assert.equal(await declaredBy(note), undefined);
  assert.equal(await looksAt({}).declared("team/shop"), undefined);
});
