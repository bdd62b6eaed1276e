// Clients write while the primary dies, all members die, or one is cut off: acknowledged rows are there, and soon they write again.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test, { after, before } from "node:test";
import { postgresql } from "../../../measure/availability/engines/postgresql";
import { mainProcess } from "../../../measure/availability/cluster/pod-processes";
import type { Fault } from "../../../measure/availability/faults/fault";
import { faults, type FaultName } from "../../../measure/availability/faults/list";
import { boundSeconds, type Mode } from "../../../measure/availability/matrix";
import { openTools, type StageTools } from "../../../measure/availability/stage";
import { makeSubject, type Subject } from "../../../measure/availability/subject";
import { attemptOnce, type Try } from "../../../measure/availability/try";
import { builtVersion } from "../../harness/built-versions";
import { labelledPrimaries } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { rotating } from "../../runner/rotating";
import { story } from "../story";

const namespace = "availability";

/** The kernel keeps 15 characters of a name. */
const watchName = "postgresql-watch".slice(0, 15);

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
  function attempt(fault: FaultName, mode: Mode): Promise<Try> {
    return attemptAs(faults[fault], mode);
  }

  async function attemptAs(fault: Fault, mode: Mode): Promise<Try> {
    step += 1;
    const { kubectl, platform } = stage;
    const scene = { subject, kubectl, processes: tools.processes, directory: platform.cluster.directory, step };
    const act = (): Promise<Try> => attemptOnce(fault, scene);
    return mode === "operator running" ? act() : stage.operator.whileStopped(act);
  }

  /** What holds whatever happened: nothing is lost, and writes are away for no longer than this fault may take them. */
  function assertKept(fault: FaultName, { account, consistency, newConnections, twoWriters, outage, pace }: Try): void {
    assert.ok(account.acknowledged > 0);
    assert.equal(account.lost, 0);
    assert.equal(account.impossible, 0);
    assert.deepEqual(twoWriters, []);
    assert.ok(consistency.transactions > 0);
    assert.deepEqual(consistency.anomalies, []);
    assert.ok(newConnections.opened > 0);
    // one that is cut off may be read from until its label is taken off
    if (fault !== "cut-off") assert.equal(newConnections.stale, 0);
    const [seconds, bound] = [outage.overallMs / 1000, boundSeconds("postgresql", fault, pace)];
    const allowed = `${bound} s are allowed where programs take ${pace.toFixed(1)} times as long to start as they work`;
    assert.ok(seconds <= bound, `nothing was acknowledged for ${seconds} s; ${allowed}`);
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

  test("the watch beside Patroni is killed: another one takes its place, and the server runs on", async () => {
    const uid = await stage.kubectl("get", "pod", "orders-1", "-n", namespace, "-o", "jsonpath={.metadata.uid}");
    const watches = async (): Promise<number[]> =>
      (await tools.processes.of(uid)).filter(({ name }) => name === watchName).map(({ pid }) => pid);
    const server = async (): Promise<number> => mainProcess(await tools.processes.of(uid), postgresql.process).pid;
    const [present, ...others] = await watches();
    assert.ok(present !== undefined && others.length === 0);
    const before = await server();
    process.kill(present, "SIGKILL");
    await eventually(async () => {
      const after = await watches();
      assert.ok(after.length === 1 && after[0] !== present, after.join());
    });
    assert.equal(await server(), before);
  });

  rotating("api-frozen", () =>
    test("the Kubernetes API hangs for a while: the same primary keeps taking writes, and no member restarts", async () => {
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
    test("the primary is cut off: another member takes over, two are never writable at once, new connections find the writable one, and nothing is lost", async () => {
      const { isolated, labelled } = labelledAtTheEnd(faults["cut-off"]);
      const outcome = await attemptAs(isolated, "operator stopped");
      assertKept("cut-off", outcome);
      const [former, successor] = outcome.primaries;
      assert.notEqual(successor, former);
      // the Service leads wherever the label is, and the former primary could not take off its own
      assert.deepEqual(labelled(), [successor]);
    }),
  );

  rotating("agent-frozen", () =>
    test("Patroni alone is frozen on the primary: its server ends before the lease has expired, and two are never writable at once", async () => {
      const frozen = faults["agent-frozen"];
      let lived = Promise.resolve(Infinity);
      const outcome = await attemptAs(
        {
          ...frozen,
          strike: async (scene) => {
            const { pid } = mainProcess(await tools.processes.of(scene.primary.uid), postgresql.process);
            const from = performance.now();
            lived = untilGone(pid).then(() => performance.now() - from);
            return frozen.strike(scene);
          },
        },
        "operator stopped",
      );
      assertKept("agent-frozen", outcome);
      assert.notEqual(outcome.primaries[0], outcome.primaries[1]);
      // another member may lead 20 s after the last renewal, which may have been 5 s before
      assert.ok((await lived) < 20_000, `the server lived on for ${await lived} ms`);
    }),
  );

  const untilGone = (pid: number): Promise<void> =>
    eventually(() => {
      assert.ok(!existsSync(`/proc/${pid}`));
    }, minutes(2));

  /** A fault, and which pods had the label of the primary right before it was taken back. */
  function labelledAtTheEnd(fault: Fault): {
    readonly isolated: Fault;
    readonly labelled: () => readonly string[] | undefined;
  } {
    let labelled: readonly string[] | undefined;
    const isolated: Fault = {
      ...fault,
      strike: async (scene) => {
        const heal = await fault.strike(scene);
        return async () => {
          const primaries = await labelledPrimaries(stage.kubectl, [namespace, "orders"]).finally(heal);
          labelled = primaries.map(({ name }) => name);
        };
      },
    };
    return { isolated, labelled: () => labelled };
  }
});
