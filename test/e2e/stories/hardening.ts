// PostgreSQL on a real node when members are stopped, die, freeze, go another way or come back late; and another minor.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { containerSecurity, podSecurity, underInit } from "../../../components/pod";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { startClient } from "../../harness/client-pod";
import { labelledPrimaries, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { MemberProcesses, signal } from "../../harness/member-processes";
import { deletePods } from "../../harness/pods";
import { askPostgresqlMember } from "../../harness/real-postgresql";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "hardening";
const place = [namespace, "orders"] as const;

const Pod = z.object({
  status: z.object({
    phase: z.string().default(""),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    containerStatuses: z.array(z.object({ name: z.string(), restartCount: z.number() })).default([]),
  }),
});

export const hardening = rotatingStory("hardening", 8, (stage) => {
  let processes: MemberProcesses;
  let built: BuiltVersion;

  before(() => {
    built = builtVersion(stage.platform, "postgresql");
    processes = new MemberProcesses(stage.kubectl, namespace);
  });

  const apply = (name: string, spec: Record<string, unknown>): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(name, namespace, { version: built.version, storage: "2Gi", backup: { enabled: false }, ...spec }),
    );

  /** As the superuser, in a member's container. */
  const askMember = (pod: string, statement: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, pod, statement);

  /** The member that serves as the primary, by its own word; never `former`. Throws where there is none. */
  async function findPrimary(name: string, former?: string): Promise<string> {
    const labelled = await labelledPrimaries(stage.kubectl, [namespace, name]);
    const primary = labelled.find((pod) => pod.name !== former);
    assert.ok(primary !== undefined, `no primary of ${name}`);
    assert.equal(await askMember(primary.name, "select pg_is_in_recovery()"), "f");
    return primary.name;
  }

  /** Waits for it. */
  const primaryOf = (name: string, former?: string): Promise<string> =>
    eventually(() => findPrimary(name, former), minutes(1));

  /** The status of a pod. Throws where there is none. */
  const statusOf = async (pod: string): Promise<z.infer<typeof Pod>["status"]> =>
    Pod.parse(await stage.kubectl.find("pod", pod, namespace)).status;

  /** Writes numbered rows one after the other, and prints the number of each that was acknowledged. */
  const writer = `
import psycopg2, time
number, connection = 0, None
while True:
    number += 1
    try:
        if connection is None:
            connection = psycopg2.connect("")
            connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("insert into acknowledged values (%s)", (number,))
        print(number, flush=True)
    except psycopg2.Error:
        connection = None
        time.sleep(0.1)
    time.sleep(0.005)
`;

  /** Another member on the volume of `orders-1`, with more time to end than any test has. */
  const secondMember = (): unknown => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "second", namespace },
    spec: {
      securityContext: podSecurity,
      terminationGracePeriodSeconds: 600,
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-orders-1" } }],
      containers: [
        {
          name: "postgresql",
          image: built.image,
          command: underInit(["postgresql-member"]),
          securityContext: containerSecurity,
          env: [
            { name: "PATRONI_NAME", value: "orders-1" },
            { name: "PATRONI_POSTGRESQL_DATA_DIR", value: "/var/lib/postgresql/data/pgdata" },
          ],
          volumeMounts: [{ name: "data", mountPath: "/var/lib/postgresql/data" }],
        },
      ],
    },
  });

  /** A client that waits for an answer for longer than any test runs; it ends when its connection does. */
  const waiting = `
import psycopg2
with psycopg2.connect("").cursor() as cursor:
    print("connected", flush=True)
    cursor.execute("select pg_sleep(3600)")
`;

  const hasEnded = async (client: string): Promise<void> => {
    assert.match((await statusOf(client)).phase, /^(Failed|Succeeded)$/);
  };

  test("with synchronousCommit a commit waits for any one of the replicas", async () => {
    await apply("orders", { highAvailability: { synchronousCommit: true } });
    await untilReady(stage.kubectl, place, minutes(6));
    const primary = await primaryOf("orders");
    await eventually(async () => {
      assert.match(await askMember(primary, "show synchronous_standby_names"), /^ANY 1 \(.+,.+\)$/);
    }, minutes(1));
    await askMember(primary, "create table acknowledged (number int primary key); grant all on acknowledged to app");
  });

  test("a member waits while its files are in use, and ends at once when it is told to", async () => {
    await stage.kubectl.apply(secondMember());
    await eventually(async () => {
      assert.match(await stage.kubectl("logs", "second", "-n", namespace), /the files are in use/);
    }, minutes(1));
    await stage.kubectl("delete", "pod", "second", "-n", namespace, "--timeout=30s");
  });

  test("a member whose container was killed starts again, whatever program has its previous server's process ID by now", async () => {
    const primary = await primaryOf("orders");
    const member = ["orders-0", "orders-1"].find((one) => one !== primary) ?? "";
    const restarts = async (): Promise<number | undefined> =>
      (await statusOf(member)).containerStatuses.find(({ name }) => name === "postgresql")?.restartCount;
    const before = await restarts();
    // in the next container it is Patroni's again
    const number = "number=$(grep -lx patroni /proc/[0-9]*/comm | cut -d/ -f3)";
    const script = `set -e; ${number}; sed -i "1s/.*/$number/" /var/lib/postgresql/data/pgdata/postmaster.pid; kill -9 -1`;
    await stage
      .kubectl("exec", "-n", namespace, member, "-c", "postgresql", "--", "bash", "-c", script)
      .catch(() => "");
    await eventually(async () => {
      assert.notEqual(await restarts(), before);
    }, minutes(1));
    await untilReady(stage.kubectl, place, minutes(2));
    await eventually(async () => {
      assert.equal(await askMember(member, "select pg_is_in_recovery()"), "t");
    }, minutes(1));
  });

  test("under synchronousCommit a replica stops only once commits count on the other one, which has just come back", async () => {
    const primary = await primaryOf("orders");
    const [first = "", second = ""] = ["orders-0", "orders-1", "orders-2"].filter((member) => member !== primary);
    await deletePods(stage.kubectl, namespace, [first], { patience: minutes(1) });
    await eventually(async () => {
      const { conditions } = await statusOf(first);
      assert.equal(conditions.find(({ type }) => type === "Ready")?.status, "True");
    }, minutes(1));
    // what commits count on, each time as one answer, until the second one is gone
    const counted = "select string_agg(application_name || '=' || sync_state, ',') from pg_stat_replication";
    const follow = `while seen=$(psql -XAtqc "${counted}") && [[ $seen == *${second}=* ]]; do sleep 0.05; done; echo "$seen"`;
    assert.match(await askMember(primary, counted), new RegExp(`${second}=`));
    const [last] = await Promise.all([
      stage.kubectl("exec", "-n", namespace, primary, "-c", "postgresql", "--", "bash", "-c", follow),
      deletePods(stage.kubectl, namespace, [second], { patience: minutes(1) }),
    ]);
    assert.match(last, new RegExp(`${first}=(quorum|sync)`));
    await untilReady(stage.kubectl, place, minutes(2));
  });

  test("a primary whose pod is deleted hands over before it stops", async () => {
    const primary = await primaryOf("orders");
    const follow = ["logs", "-f", "-n", namespace, primary, "-c", "postgresql"];
    const [log] = await Promise.all([stage.kubectl(...follow), deletePods(stage.kubectl, namespace, [primary])]);
    assert.match(log, /handover: Successfully switched over to "orders-\d"/);
    assert.doesNotMatch(log, /password/i);
    assert.notEqual(await primaryOf("orders", primary), primary);
    await untilReady(stage.kubectl, place, minutes(2));
  });

  test("a member whose Patroni hangs when it is told to stop ends all the same, its server in order, and comes back", async () => {
    const primary = await primaryOf("orders");
    const replica = ["orders-0", "orders-1", "orders-2"].find((name) => name !== primary) ?? "";
    signal(await processes.named(replica, /lib\/database\/patroni/), "SIGSTOP");
    const follow = ["logs", "-f", "-n", namespace, replica, "-c", "postgresql"];
    const [log] = await Promise.all([stage.kubectl(...follow), deletePods(stage.kubectl, namespace, [replica])]);
    assert.match(log, /Patroni hangs, and the server is told to stop/);
    assert.match(log, /database system is shut down/);
    assert.match(log, /the server has ended, and Patroni is killed/);
    await untilReady(stage.kubectl, place, minutes(2));
  });

  test("the primary's server is killed under synchronousCommit: another takes over with every acknowledged row", async () => {
    const primary = await primaryOf("orders");
    await eventually(async () => {
      assert.match(await askMember(primary, "show synchronous_standby_names"), /^ANY 1 \(.+,.+\)$/);
    }, minutes(1));
    await startClient(stage.kubectl, {
      name: "writer",
      namespace,
      database: "orders",
      image: built.image,
      program: writer,
    });
    const acknowledged = async (): Promise<string[]> =>
      (await stage.kubectl("logs", "writer", "-n", namespace)).trim().split("\n").filter(Boolean);
    const untilAcknowledged = (count: number): Promise<void> =>
      eventually(async () => {
        assert.ok((await acknowledged()).length > count);
      }, minutes(1));
    await untilAcknowledged(200);
    const servers = await processes.named(primary, /^postgres\0|bin\/postgres\0/);
    signal(servers, "SIGKILL");
    const successor = await primaryOf("orders", primary);
    await untilAcknowledged((await acknowledged()).length + 100);
    const numbers = await acknowledged();
    await stage.kubectl("delete", "pod", "writer", "-n", namespace);
    const stored = new Set((await askMember(successor, "select number from acknowledged")).split("\n"));
    assert.deepEqual(
      numbers.filter((number) => !stored.has(number)),
      [],
    );
    await untilReady(stage.kubectl, place, minutes(2));
  });

  test("a primary that wrote alone and froze: another serves, its clients are cut off, and it comes back without what it had alone", async () => {
    await apply("orders", { highAvailability: { synchronousCommit: false } });
    await untilReady(stage.kubectl, place, minutes(2));
    const primary = await primaryOf("orders");
    await eventually(async () => {
      assert.equal(await askMember(primary, "show synchronous_standby_names"), "");
    }, minutes(1));
    await askMember(primary, "create table notes (text text)");
    await startClient(stage.kubectl, {
      name: "waiting",
      namespace,
      database: "orders",
      image: built.image,
      program: waiting,
    });
    await eventually(async () => {
      assert.match(await stage.kubectl("logs", "waiting", "-n", namespace), /connected/);
    });
    await eventually(async () => {
      assert.equal(await askMember(primary, "select count(*) from pg_stat_replication where state = 'streaming'"), "2");
    }, minutes(1));
    const successor = await processes.outrun(
      primary,
      () => askMember(primary, "insert into notes values ('alone')"),
      () => findPrimary("orders", primary),
    );
    await askMember(successor, "insert into notes values ('together')");
    await eventually(() => hasEnded("waiting"), minutes(1));
    await eventually(async () => {
      assert.equal(await askMember(primary, "select pg_is_in_recovery(), text from notes"), "t|together");
    }, minutes(2));
    // by a role that is no superuser, which the network does not let in; else it would copy all data
    const log = await stage.kubectl("logs", "-n", namespace, primary, "-c", "postgresql");
    assert.match(log, /pg_rewind exit code=0/);
    // no probe ends the exporter: it would not stop with its pod
    signal(await processes.of(primary), "SIGCONT");
    await untilReady(stage.kubectl, place, minutes(2));
  });
});
