// What is known of a Job's attempts from its pods, as Kubernetes writes them.
import assert from "node:assert/strict";
import type { JobRun } from "../domain/members";
import test from "node:test";
import { JobAttempts } from "./job-attempts";
import { jobOf, podOf } from "./observe";

const labels = { app: "database", database: "shop", "app.kubernetes.io/component": "backup" };

interface Seen {
  readonly pod?: string;
  readonly at?: string;
  readonly state?: unknown;
  readonly lastState?: unknown;
  readonly status?: Record<string, unknown>;
}

const podWith = ({ pod = "p-1", at = "10:00", state = {}, lastState = {}, status = {} }: Seen): unknown => ({
  metadata: {
    ...{ name: pod, namespace: "team", uid: pod, creationTimestamp: `2026-01-01T${at}:00Z` },
    labels: { ...labels, "batch.kubernetes.io/controller-uid": "job-uid" },
  },
  status: { containerStatuses: [{ name: "backup", state, lastState }], ...status },
});

const ended = (exitCode: number, message: string, reason = "Error"): unknown => ({
  terminated: { exitCode, message, reason },
});

function jobWith(
  type?: "Complete" | "Failed",
  reason = "BackoffLimitExceeded",
  message = "too many attempts",
): unknown {
  const conditions =
    type === undefined ? [] : [{ type, status: "True", lastTransitionTime: "2026-01-01T10:30:00Z", reason, message }];
  return { metadata: { name: "shop-backup-1", namespace: "team", uid: "job-uid", labels }, status: { conditions } };
}

/** The Job after all that was seen of its pods; a pod that is handed in as undefined has gone. */
function after(job: unknown, ...seen: readonly unknown[]): JobRun {
  const attempts = new JobAttempts();
  const run = jobOf(job);
  assert.ok(run !== undefined);
  attempts.noteJob(run, undefined);
  let before: ReturnType<typeof podOf>;
  for (const object of seen) {
    const pod = object === undefined ? undefined : podOf(object);
    attempts.notePod(pod?.attempt, before?.attempt);
    before = pod;
  }
  return attempts.with(run);
}

const agentLog = `mysqldump: Error 2013\n${JSON.stringify({ message: "failed", why: "mysqldump failed" })}\n`;
const log = "copying from 10.0.0.7\npg_basebackup: error: No space left on device\n\ncopying failed\nsee above\n";

for (const [what, job, pods, trouble] of [
  [
    "the end of its log",
    jobWith("Failed"),
    [podWith({ state: ended(1, log) })],
    /^pg_basebackup: error: No space left on device; copying failed; see above$/,
  ],
  [
    "what an agent logged",
    jobWith("Failed"),
    [podWith({ state: ended(1, agentLog) })],
    /^mysqldump: Error 2013; mysqldump failed$/,
  ],
  [
    "that memory was too little",
    jobWith("Failed"),
    [podWith({ state: ended(137, "", "OOMKilled") })],
    /^OOMKilled: exit code 137$/,
  ],
  ["an end without a message", jobWith("Failed"), [podWith({ state: ended(2, "") })], /^exit code 2$/],
  ["what a pod said that is gone", jobWith("Failed"), [podWith({ state: ended(1, "why") }), undefined], /^why$/],
  [
    "that it took too long",
    jobWith("Failed", "DeadlineExceeded", "longer than its deadline"),
    [podWith({ state: ended(143, "copying") })],
    /^DeadlineExceeded: longer than its deadline; copying$/,
  ],
  ["what the Job says where no pod does", jobWith("Failed"), [], /^BackoffLimitExceeded: too many attempts$/],
  [
    "why its pod was evicted",
    jobWith(),
    [podWith({ status: { reason: "Evicted", message: "low on memory" } })],
    /^Evicted: low on memory$/,
  ],
  [
    "what the attempt before said, while it is tried again",
    jobWith(),
    [
      podWith({
        lastState: ended(1, "why"),
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
      }),
    ],
    /^why$/,
  ],
  [
    "what the last of its pods said",
    jobWith(),
    [podWith({ pod: "p-2", at: "10:05", state: ended(1, "new") }), podWith({ state: ended(1, "old") })],
    /^new$/,
  ],
  [
    "what keeps its pod from starting",
    jobWith(),
    [podWith({ state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } } })],
    /ImagePullBackOff: no such image$/,
  ],
  [
    "nothing once the pod runs after all",
    jobWith(),
    [podWith({ state: { waiting: { reason: "ImagePullBackOff", message: "" } } }), podWith({ state: { running: {} } })],
    undefined,
  ],
  ["nothing that a terminal would act on", jobWith(), [podWith({ state: ended(1, "a\u001b[2Jb") })], /^a \[2Jb$/],
  [
    "nothing when it succeeded at last",
    jobWith("Complete"),
    [podWith({ state: ended(1, "why") }), podWith({ pod: "p-2", at: "10:05", state: ended(0, "") })],
    undefined,
  ],
] as const satisfies readonly (readonly [string, unknown, readonly unknown[], RegExp | undefined])[]) {
  test(`a Job's trouble is ${what}`, () => {
    const run = after(job, ...pods);
    if (trouble === undefined) assert.equal(run.trouble, undefined);
    else assert.match(run.trouble ?? "", trouble);
  });
}

test("what an agent said is whole where other programs said much before it, of which the first goes", () => {
  const why = `${"a moment behind a gap ".repeat(18)}: ask for an earlier one`;
  const noise = `${"first ".repeat(50)}\nsecond\n`;
  const run = after(
    jobWith("Failed"),
    podWith({ state: ended(1, noise + JSON.stringify({ message: "failed", why })) }),
  );
  assert.equal(run.trouble, `second; ${why}`);
});

test("a Job's trouble is bounded, however much its pod said", () => {
  const run = after(jobWith("Failed"), podWith({ state: ended(1, `${"x".repeat(4000)}\n`.repeat(10)) }));
  assert.ok((run.trouble ?? "").length <= 640, String(run.trouble?.length));
});

test("the backup that a Job took is known by the name that its program reports, also when its pod has gone", () => {
  const report = JSON.stringify({ backup: "shop-20260101T100000Z", kept: [] });
  const done = podWith({ state: ended(0, report, "Completed") });
  assert.equal(after(jobWith("Complete"), done).backup, "shop-20260101T100000Z");
  assert.equal(after(jobWith("Complete"), done, undefined).backup, "shop-20260101T100000Z");
  assert.equal(after(jobWith("Complete"), podWith({ state: ended(0, "done", "Completed") })).backup, undefined);
});

test("of a Job whose pod ended well and said nothing, no report is to come", () => {
  const seen = jobOf(jobWith("Complete"));
  assert.ok(seen !== undefined);
  for (const [message, isSilent] of [
    ["done", true],
    [JSON.stringify({ backup: "shop-20260101T100000Z" }), undefined],
  ] as const) {
    const attempts = new JobAttempts();
    attempts.noteJob(seen, undefined);
    assert.equal(attempts.backup(seen).isSilent, undefined);
    const pod = podWith({ state: ended(0, message, "Completed") });
    attempts.notePod(podOf(pod)?.attempt, undefined);
    assert.equal(attempts.backup(seen).isSilent, isSilent);
    attempts.noteJob(undefined, seen);
    assert.equal(attempts.backup(seen).isSilent, undefined);
  }
});

test("nothing is kept of a Job that is gone, whether it or its pods go first", () => {
  const seen = jobOf(jobWith());
  const attempt = podOf(podWith({ state: ended(1, "why") }))?.attempt;
  assert.ok(seen !== undefined);
  for (const isJobFirst of [true, false]) {
    const attempts = new JobAttempts();
    attempts.noteJob(seen, undefined);
    attempts.notePod(attempt, undefined);
    if (isJobFirst) attempts.noteJob(undefined, seen);
    if (isJobFirst) attempts.notePod(attempt, attempt);
    attempts.notePod(undefined, attempt);
    if (!isJobFirst) attempts.noteJob(undefined, seen);
    assert.equal(attempts.with(seen).trouble, undefined);
  }
});
