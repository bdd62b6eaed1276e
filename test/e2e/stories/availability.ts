// Clients write while the primary dies, all members die, or one is cut off: what they were told is there, it is.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { postgresql } from "../availability/engines/postgresql";
import { faults, type FaultName } from "../availability/faults/faults";
import type { Mode } from "../availability/matrix";
import { namespace, openStage, type Stage } from "../availability/stage";
import { makeSubject, type Subject } from "../availability/subject";
import { attemptOnce, type Try } from "../availability/try";
import { builtPostgresql } from "../harness/real-postgresql";

let stage: Stage;
let subject: Subject;
let step = 0;

before(async () => {
  stage = await openStage(["postgresql"]);
  await stage.setMode("operator running");
  const { kubectl } = stage.platform;
  const { version } = await builtPostgresql();
  const place = { namespace, name: "orders" };
  subject = await makeSubject({
    ...{ ...place, kubectl, client: stage.client, version },
    ...{ engine: postgresql, replication: "synchronous" },
  });
});
after(async () => {
  await subject.close();
  await stage.stop();
});

/** Throws where writes or members do not come back before a deadline that is generous. */
async function attempt(fault: FaultName, mode: Mode): Promise<Try> {
  await stage.setMode(mode);
  step += 1;
  const { kubectl, cluster } = stage.platform;
  const scene = { subject, kubectl, processes: stage.processes, directory: cluster.directory, step };
  return attemptOnce(faults[fault], scene);
}

/** What holds whatever happened. */
function assertNothingLost({ account, twoWriters }: Try): void {
  assert.ok(account.acknowledged > 0);
  assert.equal(account.lost, 0);
  assert.equal(account.impossible, 0);
  assert.deepEqual(twoWriters, []);
}

test("the server of the primary is killed: writes come back, and no acknowledged row is missing on any member", async () => {
  assertNothingLost(await attempt("kill", "operator running"));
});

test("the primary's pod is deleted by force while no operator runs: writes come back, and nothing is lost", async () => {
  assertNothingLost(await attempt("pod-deletion", "operator stopped"));
});

test("all pods are deleted at once while no operator runs: the database is back by itself, with every acknowledged row", async () => {
  assertNothingLost(await attempt("all-pods-deleted", "operator stopped"));
});

test("the Kubernetes API stands still for a while: writes go on by the same primary, and no member is started anew", async () => {
  const starts = (): Promise<string> => {
    const path = "jsonpath={range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount} {end}";
    return stage.platform.kubectl("get", "pods", "-n", namespace, "-l", "database=orders", "-o", path);
  };
  const before = await starts();
  const outcome = await attempt("api-frozen", "operator stopped");
  assertNothingLost(outcome);
  assert.equal(outcome.primaries[0], outcome.primaries[1]);
  assert.equal(await starts(), before);
});

test("the primary is cut off: another member takes over, never are two writable at one moment, and nothing is lost", async () => {
  const outcome = await attempt("cut-off", "operator stopped");
  assertNothingLost(outcome);
  assert.notEqual(outcome.primaries[0], outcome.primaries[1]);
});
