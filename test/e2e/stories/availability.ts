// Clients write while the primary dies, all members die, or one is cut off: what they were told is there, it is, and soon they write again.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { postgresql } from "../../availability/engines/postgresql";
import { faults, type FaultName } from "../../availability/faults/faults";
import { boundSeconds, type Mode } from "../../availability/matrix";
import { openTools, type StageTools } from "../../availability/stage";
import { makeSubject, type Subject } from "../../availability/subject";
import { attemptOnce, type Try } from "../../availability/try";
import { builtVersion } from "../../harness/built-versions";
import { rotating } from "../../runner/rotating";
import { story } from "../story";

const namespace = "availability";

export const availability = story(namespace, (stage) => {
  let tools: StageTools;
  let subject: Subject;
  let step = 0;

  before(async () => {
    const { kubectl, platform } = stage;
    tools = await openTools(platform);
    const { version } = builtVersion(platform, "postgresql");
    await kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    subject = await makeSubject({
      ...{ namespace, name: "orders", kubectl, client: tools.client, version },
      ...{ engine: postgresql, replication: "synchronous" },
    });
  });
  after(async () => {
    await subject.close();
    await tools.close();
  });

  /** Throws where writes or members do not come back before a deadline that is generous. */
  async function attempt(fault: FaultName, mode: Mode): Promise<Try> {
    step += 1;
    const { kubectl, platform } = stage;
    const scene = { subject, kubectl, processes: tools.processes, directory: platform.cluster.directory, step };
    const act = (): Promise<Try> => attemptOnce(faults[fault], scene);
    return mode === "operator running" ? act() : stage.operator.whileStopped(act);
  }

  /** What holds whatever happened: nothing is lost, and writes are away for no longer than this fault may take them. */
  function assertKept(fault: FaultName, { account, twoWriters, outage }: Try): void {
    assert.ok(account.acknowledged > 0);
    assert.equal(account.lost, 0);
    assert.equal(account.impossible, 0);
    assert.deepEqual(twoWriters, []);
    const [seconds, bound] = [outage.overallMs / 1000, boundSeconds("postgresql", fault)];
    assert.ok(seconds <= bound, `nothing was acknowledged for ${seconds} s; ${bound} s are allowed`);
  }

  test("the server of the primary is killed: writes come back soon, and no acknowledged row is missing on any member", async () => {
    assertKept("kill", await attempt("kill", "operator running"));
  });

  test("the primary's pod is deleted by force while no operator runs: writes come back soon, and nothing is lost", async () => {
    assertKept("pod-deletion", await attempt("pod-deletion", "operator stopped"));
  });

  test("all pods are deleted at once while no operator runs: the database is back by itself, with every acknowledged row", async () => {
    assertKept("all-pods-deleted", await attempt("all-pods-deleted", "operator stopped"));
  });

  rotating("api-frozen", () =>
    test("the Kubernetes API stands still for a while: writes go on by the same primary, and no member is started anew", async () => {
      const starts = (): Promise<string> => {
        const path = "jsonpath={range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount} {end}";
        return stage.kubectl("get", "pods", "-n", namespace, "-l", "database=orders", "-o", path);
      };
      const before = await starts();
      const outcome = await attempt("api-frozen", "operator stopped");
      assertKept("api-frozen", outcome);
      assert.equal(outcome.primaries[0], outcome.primaries[1]);
      assert.equal(await starts(), before);
    }),
  );

  rotating("cut-off", () =>
    test("the primary is cut off: another member takes over, never are two writable at one moment, and nothing is lost", async () => {
      const outcome = await attempt("cut-off", "operator stopped");
      assertKept("cut-off", outcome);
      assert.notEqual(outcome.primaries[0], outcome.primaries[1]);
    }),
  );
});
