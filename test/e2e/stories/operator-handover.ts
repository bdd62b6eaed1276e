// The deployed operator is replaced, asked to stop, killed, frozen, taken away and restored, while real databases keep running.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { usualTiming } from "../../../operator/leadership/election";
import { run } from "../../../tools/host/command";
import { projectRoot } from "../../../tools/platform/platform";
import { builtVersion } from "../../harness/built-versions";
import { readDatabase, untilBackedUp, untilCondition, untilGone, untilReady } from "../../harness/database";
import { consistently, eventually, minutes } from "../../harness/eventually";
import {
  firstProcessOf,
  leadingPod,
  leaseHolder,
  operatorPods,
  untilAnotherLeads,
  writesOf,
  type OperatorPod,
} from "../../harness/operator-pods";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { sendSignal } from "../../harness/signal";
import { rotatingStory } from "../story";
import { databaseOf, namespace, place, system } from "./deployed-operator";
import { DeployedWrites, providersOf, signalAll } from "./deployed-writes";

const Lease = z.object({ spec: z.object({ holderIdentity: z.string(), acquireTime: z.string() }) });

/** Continues with the Database of the story `deployed`, or creates it. */
export const operatorHandover = rotatingStory(
  "deployed-operator",
  5,
  (stage) => {
    let version: string;
    let client: PostgresqlClient;
    let writes: DeployedWrites;

    before(async () => {
      const built = builtVersion(stage.platform, "postgresql");
      ({ version } = built);
      client = new PostgresqlClient(stage.kubectl, { namespace, database: "orders", image: built.image });
      writes = new DeployedWrites(stage.platform, namespace);
      await untilRolledOut();
      await apply("orders");
      await untilReady(stage.kubectl, place, minutes(4));
      await untilBackedUp(stage.kubectl, place, minutes(2));
      await client.ask(
        "create table survivors (id int primary key); insert into survivors select generate_series(1, 100)",
      );
    });

    const apply = (name: string, spec: Record<string, unknown> = {}): Promise<string> =>
      stage.kubectl.apply(databaseOf(version, name, spec));

    const small = { deletionPolicy: "Delete", backup: { enabled: false } };

    const make = (...args: string[]): Promise<string> =>
      run("make", args, { cwd: projectRoot, env: stage.platform.environment });

    const untilRolledOut = (): Promise<string> =>
      stage.kubectl("rollout", "status", "deployment/database-operator", "-n", system, "--timeout=180s");

    /** Waits until a run has begun for each of these Databases. */
    const untilBegun = async (names: readonly string[]): Promise<void> => {
      for (const name of names)
        await untilCondition(stage.kubectl, [namespace, name], {
          type: "Reconciling",
          status: "True",
          reason: "Creating",
        });
    };

    /** What must not change while the operator does: running members with their restarts, versions of what it created, the status. */
    async function untouched(): Promise<unknown> {
      const read = async (...args: string[]): Promise<string[]> =>
        (await stage.kubectl("get", ...args, "-n", namespace)).split("\n").sort();
      const restarts = '{range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount}{"\\n"}{end}';
      const generations =
        '{range .items[*]}{.kind}/{.metadata.name} {.metadata.uid} {.metadata.generation}{"\\n"}{end}';
      const kinds =
        "statefulsets,services,secrets,persistentvolumeclaims,cronjobs,poddisruptionbudgets,networkpolicies,serviceaccounts";
      const running = ["-l", "database", "--field-selector=status.phase=Running"];
      return {
        status: z.object({ status: z.unknown() }).parse(await stage.kubectl.find("database", "orders", namespace)),
        members: await read("pods", ...running, "-o", `jsonpath=${restarts}`),
        children: await read(kinds, "-l", "database", "-o", `jsonpath=${generations}`),
      };
    }

    test("a rolling update of the operator leaves databases untouched: no pod restarts, and nothing is written", async () => {
      const before = await untouched();
      const since = Date.now();
      const former = await leadingPod(stage.kubectl);
      await stage.kubectl("rollout", "restart", "deployment/database-operator", "-n", system);
      await untilRolledOut();
      await untilAnotherLeads(stage.kubectl, former, minutes(1));
      await consistently(async () => {
        assert.deepEqual(await writes.since(since), []);
      }, 3000);
      assert.deepEqual(await untouched(), before);
    });

    test("SIGTERM in the middle of runs ends them cleanly, and the next leader continues", async (context) => {
      const former = await leadingPod(stage.kubectl);
      const holder = await leaseHolder(stage.kubectl);
      const first = await firstProcessOf(former);
      // the first run of an operator starts what reaches the API server; without that no run can end
      await apply("first", small);
      await untilReady(stage.kubectl, [namespace, "first"], minutes(4));
      const providers = await providersOf(former);
      assert(providers.length > 0, "no run has left a provider");
      const others = ["second", "third", "fourth"];
      const names = ["first", ...others];
      let said: readonly string[] = [];
      const log = run("kubectl", ["logs", "-f", "-n", system, former.name], {
        env: stage.platform.environment,
        log: (line) => {
          said = [...said, line];
        },
      });
      for (const pid of providers) sendSignal(pid, "SIGSTOP");
      await Promise.all(others.map((name) => apply(name, small)));
      await untilBegun(others);
      const told = Date.now();
      // to the first process of the container, as the kubelet sends it; without the pause that comes before
      stage.platform.witness.expectRestart(former.name, "it is told to stop in the middle of runs");
      process.kill(first, "SIGTERM");
      await eventually(() => {
        assert(said.some((line) => line.includes('"msg":"stopping"')));
      });
      for (const pid of providers) sendSignal(pid, "SIGCONT");
      await log;
      assert(
        said.some((line) => line.includes('"msg":"stopped"')),
        "it did not stop cleanly",
      );
      const afterwards = said.slice(said.findIndex((line) => line.includes('"msg":"stopping"')));
      assert(
        afterwards.some((line) => line.includes("stack run")),
        "no run was in progress",
      );
      const unfinished = said.filter((line) => line.includes("stack run did not succeed"));
      // Pulumi completes what it has begun, and keeps what is done in the state
      for (const line of unfinished) assert.match(line, /"message":"update canceled"/);
      // the one that stood by, or the one that the kubelet started in place of the one that ended
      await eventually(async () => {
        const next = await leaseHolder(stage.kubectl);
        assert(next !== "" && next !== holder);
      }, minutes(1));
      context.diagnostic(`another one led ${(Date.now() - told) / 1000} s after the leader was told to stop`);
      for (const name of names) await untilReady(stage.kubectl, [namespace, name], minutes(4));
      await stage.kubectl("delete", "databases", ...names, "-n", namespace, "--wait=false");
      for (const name of names) await untilGone(stage.kubectl, [namespace, name], minutes(3));
      await untilRolledOut();
    });

    test("the leader is killed: another one leads once the lease has run out, and acts", async (context) => {
      // one that starts later counts the lease from then on
      await untilRolledOut();
      const former = await eventually(() => leadingPod(stage.kubectl), minutes(1));
      const holder = await leaseHolder(stage.kubectl);
      stage.platform.witness.expectRestart(former.name, "it is killed");
      await signalAll(former, "SIGKILL");
      const killed = Date.now();
      await apply("orders", { config: { work_mem: "9MB" } });
      await eventually(async () => {
        assert.equal(await client.ask("show work_mem"), "9MB");
      }, minutes(1));
      // the one that stood by, or the one that the kubelet started in place of the killed one
      const { spec } = Lease.parse(await stage.kubectl.find("lease", "database-operator-leader", system));
      const [write] = await writes.since(killed);
      assert.notEqual(spec.holderIdentity, holder);
      const led = Date.parse(spec.acquireTime) - killed;
      context.diagnostic(`another one led ${led / 1000} s after the leader was killed`);
      context.diagnostic(`it acted ${((write?.at ?? NaN) - killed) / 1000} s after that`);
      // others look every few seconds, and look once more where the first look came too early
      const { leaseMs, retryMs } = usualTiming;
      assert(led <= leaseMs + 2 * retryMs, `${led} ms`);
      await untilReady(stage.kubectl, place, minutes(2));
    });

    /** Freezes the leader while a run of this Database is in progress. */
    async function freezeAmid(leader: OperatorPod, name: string): Promise<void> {
      await apply(name, small);
      await untilBegun([name]);
      await signalAll(leader, "SIGSTOP");
      const { metadata, status } = await readDatabase(stage.kubectl, name, namespace);
      const settled = status.conditions.find(({ reason }) => reason === "Reconciled");
      assert.notEqual(
        settled?.observedGeneration,
        metadata.generation,
        "its run was over before the leader was frozen",
      );
    }

    test("a leader that was frozen in the middle of a run, for longer than its lease, writes nothing when it continues, and restarts", async (context) => {
      await untilRolledOut();
      const former = await eventually(() => leadingPod(stage.kubectl), minutes(1));
      await freezeAmid(former, "frozen");
      const frozen = Date.now();
      const next = await untilAnotherLeads(stage.kubectl, former, minutes(1));
      await untilReady(stage.kubectl, [namespace, "frozen"], minutes(2));
      const [write] = await writesOf(stage.platform.cluster.auditLog, frozen, next);
      context.diagnostic(`another one acted ${((write?.at ?? NaN) - frozen) / 1000} s after the leader was frozen`);
      const woken = Date.now();
      stage.platform.witness.expectRestart(former.name, "it was frozen for longer than its lease");
      await signalAll(former, "SIGCONT");
      await eventually(async () => {
        const pod = (await operatorPods(stage.kubectl)).find(({ uid }) => uid === former.uid);
        assert.equal(pod?.restarts, former.restarts + 1);
      }, minutes(1));
      assert.deepEqual(await writes.since(woken, former), []);
      await stage.kubectl("delete", "database", "frozen", "-n", namespace, "--timeout=120s");
      await untilRolledOut();
    });

    test("make undeploy removes the operator and databases keep running; make deploy brings it back and leaves them unchanged", async () => {
      const before = await untouched();
      assert.match(await make("undeploy"), /kept: the custom resource/);
      await eventually(async () => {
        assert.deepEqual(await operatorPods(stage.kubectl), []);
      }, minutes(2));
      await client.ask("insert into survivors values (101)");
      assert.deepEqual(await untouched(), before);
      const since = Date.now();
      await make("deploy", `IMG=${stage.platform.operatorImage ?? ""}`);
      await eventually(() => leadingPod(stage.kubectl), minutes(1));
      await consistently(async () => {
        assert.deepEqual(await untouched(), before);
        assert.deepEqual(await writes.since(since), []);
      }, 3000);
      assert.equal(await client.ask("select count(*) from survivors"), "101");
    });
  },
  { name: "handover", namespace },
);
