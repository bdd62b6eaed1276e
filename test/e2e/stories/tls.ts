// TLS of PostgreSQL: who is let in, certificates and authorities that are renewed under load, and a Database that gets from none to all of it.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { newAuthority } from "../../fakes/client-certificate";
import { builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, readDatabase, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { runIn, startIdlePod } from "../../harness/idle-pod";
import { askPostgresqlMember } from "../../harness/real-postgresql";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "tls";
const place = [namespace, "orders"] as const;
const client = { name: "client", namespace };

/** In seconds. The kubelet replaces files within about a minute and a half: so long both authorities are trusted at least. */
const lives = { overlap: 120, certificate: 372, authority: 1200 };
const inDays = JSON.stringify(Object.fromEntries(Object.entries(lives).map(([what, s]) => [what, s / 86_400])));

/** Connects again and again as an application does that has the `uri` alone, and counts. */
const load = `
import json, os, psycopg2, time
made, failed, said = 0, 0, ""
while True:
    try:
        with psycopg2.connect(os.environ["URI"], connect_timeout=5) as connection:
            with connection.cursor() as cursor:
                cursor.execute("select 1")
        connection.close()
        made += 1
    except psycopg2.Error as error:
        failed, said = failed + 1, str(error)
    with open("/tmp/load.new", "w") as file:
        json.dump({"made": made, "failed": failed, "said": said}, file)
    os.replace("/tmp/load.new", "/tmp/load")
    time.sleep(0.05)
`;

const Counted = z.object({ made: z.number(), failed: z.number(), said: z.string() });
const Pods = z.array(
  z.object({
    metadata: z.object({ name: z.string(), uid: z.string() }),
    status: z.object({ containerStatuses: z.array(z.object({ restartCount: z.number() })) }),
  }),
);
const Status = z.object({
  status: z.object({ tls: z.object({ mode: z.string(), allMembers: z.boolean(), certificateExpires: z.string() }) }),
});

export const tls = rotatingStory("tls", 5, (stage) => {
  let version: string;

  before(async () => {
    const built = builtVersion(stage.platform, "postgresql");
    ({ version } = built);
    await stage.operator.stop();
    await stage.operator.start({ DATABASE_OPERATOR_CERTIFICATE_DAYS: inDays });
    await apply("orders");
    await untilReady(stage.kubectl, place, minutes(5));
    const env = { URI: { secret: "orders-credentials", key: "uri" } };
    await startIdlePod(stage.kubectl, {
      ...client,
      image: built.image,
      env,
      files: { "/etc/database-ca": "orders-ca" },
    });
  });
  after(async () => {
    await stage.operator.stop();
    await stage.operator.start();
  });

  const apply = (name: string, spec: Record<string, unknown> = {}): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(name, namespace, {
        ...{ version, replicas: 2, storage: "1Gi", backup: { enabled: false }, deletionPolicy: "Delete" },
        ...spec,
      }),
    );

  /** By the `uri`, of which some is replaced. */
  const ask = (sql: string, ...replaced: readonly [from: string, to: string] | readonly []): Promise<string> => {
    const script = 'exec psql "${URI/"$1"/"$2"}" -XAtq -c "$3"';
    const [from = "no such text", to = ""] = replaced;
    return runIn(stage.kubectl, client, script, from, to, sql);
  };

  const tlsOf = async (name: string): Promise<z.infer<typeof Status>["status"]["tls"]> =>
    Status.parse(await stage.kubectl.find("database", name, namespace)).status.tls;

  /** What shows whether any member was restarted. */
  const membersNow = async (): Promise<readonly unknown[]> => {
    const pods = Pods.parse(await stage.kubectl.list("pods", { namespace }));
    return pods
      .filter(({ metadata: { name } }) => /^orders-[0-9]$/.test(name))
      .map(({ metadata: { name, uid }, status }) => [
        name,
        uid,
        status.containerStatuses.map((one) => one.restartCount),
      ]);
  };

  const startsOf = (name: string): Promise<readonly string[]> =>
    Promise.all(
      [0, 1].map((ordinal) =>
        askPostgresqlMember(stage.kubectl, namespace, `${name}-${ordinal}`, "select pg_postmaster_start_time()"),
      ),
    );

  const counted = async (): Promise<z.infer<typeof Counted>> =>
    Counted.parse(JSON.parse(await runIn(stage.kubectl, client, "cat /tmp/load")));

  const authorities = async (): Promise<number> =>
    Number(await runIn(stage.kubectl, client, "grep -c BEGIN /etc/database-ca/ca.crt"));

  /** Lets work take place while the client connects: none of its connections may fail, and no server restart. */
  async function underLoad(work: () => Promise<void>): Promise<void> {
    const before = await Promise.all([membersNow(), startsOf("orders")]);
    await runIn(stage.kubectl, client, 'nohup python3 -c "$1" >/tmp/said 2>&1 & echo $! >/tmp/pid', load);
    await work();
    const { made, failed, said } = await counted();
    await runIn(stage.kubectl, client, "kill $(cat /tmp/pid)");
    assert.deepEqual([failed, said], [0, ""]);
    assert.ok(made > 100, `${made} connections`);
    assert.deepEqual(await Promise.all([membersNow(), startsOf("orders")]), before);
  }

  test("who checks the server by its name is let in, and who connects without TLS, or trusts another one, is not", async () => {
    assert.equal(await ask("select ssl from pg_stat_ssl where pid = pg_backend_pid()"), "t");
    await assert.rejects(ask("select 1", "verify-full", "disable"), /no pg_hba\.conf entry .*no encryption/);
    const { certificate: another } = await newAuthority();
    await runIn(stage.kubectl, client, 'printf %s "$1" >/tmp/another.crt', another);
    await assert.rejects(ask("select 1", "/etc/database-ca/ca.crt", "/tmp/another.crt"), /certificate verify failed/);
    await assert.rejects(ask("select 1", "@orders.tls.svc", "@orders-headless.tls.svc"), /does not match host name/);
    assert.deepEqual(await tlsOf("orders").then(({ mode, allMembers }) => [mode, allMembers]), ["Require", true]);
    const [primary] = await labelledPrimaries(stage.kubectl, place);
    assert.ok(primary);
    const replication = "select bool_and(ssl) from pg_stat_ssl join pg_stat_replication using (pid)";
    assert.equal(await askPostgresqlMember(stage.kubectl, namespace, primary.name, replication), "t");
  });

  test("a certificate is renewed under load: no new connection fails, and no server restarts", async () => {
    const { certificateExpires: former } = await tlsOf("orders");
    await underLoad(async () => {
      await eventually(async () => {
        assert.notEqual((await tlsOf("orders")).certificateExpires, former);
      }, minutes(6));
      // until all members have read it, and the former one is good no more
      await delay(Math.max(0, Date.parse(former) - Date.now()) + 5_000);
    });
  });

  test("a lost record and so another authority, under load: no new connection fails, and no server restarts", async () => {
    await underLoad(async () => {
      await stage.kubectl("delete", "secret", "certificates.tls.orders", "-n", "database-operator-system");
      await apply("orders", { config: { work_mem: "5MB" } });
      await eventually(async () => {
        assert.equal(await authorities(), 2);
      }, minutes(3));
      await eventually(async () => {
        assert.equal(await authorities(), 1);
      }, minutes(8));
      const shown = await counted();
      await delay(10_000);
      assert.ok((await counted()).made > shown.made, "connections are made under the new authority alone");
    });
  });

  test("a lost primary: another member leads, and the former one follows it over TLS", async () => {
    const [primary] = await labelledPrimaries(stage.kubectl, place);
    assert.ok(primary);
    await stage.kubectl("delete", "pod", primary.name, "-n", namespace);
    await eventually(async () => {
      const { status } = await readDatabase(stage.kubectl, "orders", namespace);
      assert.notEqual(status.primary, primary.name);
    }, minutes(2));
    await untilReady(stage.kubectl, place, minutes(3));
    assert.equal(await ask("select count(*) from pg_stat_ssl where ssl and pid = pg_backend_pid()"), "1");
  });

  test("a Database without TLS gets it in two steps, in each of which members restart and replicate", async () => {
    await apply("older", { tls: { mode: "Off" } });
    await untilReady(stage.kubectl, [namespace, "older"], minutes(4));
    await apply("older", { tls: { mode: "Require" } });
    await eventually(async () => {
      assert.deepEqual(await tlsOf("older").then(({ mode, allMembers }) => [mode, allMembers]), ["Require", true]);
    }, minutes(8));
    await untilReady(stage.kubectl, [namespace, "older"], minutes(3));
    const [primary] = await labelledPrimaries(stage.kubectl, [namespace, "older"]);
    assert.ok(primary);
    const replication = "select count(*) from pg_stat_ssl join pg_stat_replication using (pid) where ssl";
    await eventually(async () => {
      assert.equal(await askPostgresqlMember(stage.kubectl, namespace, primary.name, replication), "1");
    }, minutes(1));
  });
});
