// TLS of PostgreSQL: who is let in, certificates and authorities that are renewed under load, and a Database that gets from none to all of it.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { newAuthority } from "../../fakes/client-certificate";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import {
  assertRolesTaken,
  labelledPrimaries,
  untilBackedUp,
  untilCondition,
  untilDatabase,
  untilReady,
} from "../../harness/database";
import { eventually, minutes, type Patience } from "../../harness/eventually";
import { MemberProcesses, signal } from "../../harness/member-processes";
import { deletePods } from "../../harness/pods";
import { askPostgresqlMember } from "../../harness/real-postgresql";
import { modestDatabase, rotatingStory } from "../story";
import { TlsClient, type Counted } from "./tls-clients";

const namespace = "tls";
const orders = [namespace, "orders"] as const;
const older = [namespace, "older"] as const;

/**
 * In seconds. Here the kubelet replaces files within 15 s, and the agent looks at them each 5 s: on a busy machine an overlap has room for several times
 * as much; the rest follows from that. An authority is due at two thirds, after 16 minutes, and gone 5 to 6 minutes later.
 */
const lives = { overlap: 150, certificate: 460, authority: 1420 };
const inDays = JSON.stringify(Object.fromEntries(Object.entries(lives).map(([what, s]) => [what, s / 86_400])));
/** Of a whole story's tests, each waits for lives to pass. */
const patient = { timeout: 16 * 60_000 };
/** For what takes minutes: to ask ten times a second would be load of its own. */
const unhurried = (count: number): Patience => ({ ...minutes(count), everyMs: 1000 });
/** Whether a server that ended said so: the client may have asked the same one without TLS then, and was refused. */
const isOfAnEnd = (text: string): boolean =>
  /shutting down|starting up|terminating connection|closed the connection/.test(text);

/** Without a connection in a planned change of the primary, in seconds. */
const mostWithout = 15;

const Pods = z.array(
  z.object({
    metadata: z.object({ name: z.string(), uid: z.string() }),
    status: z.object({ containerStatuses: z.array(z.object({ restartCount: z.number() })).default([]) }),
  }),
);
const Status = z.object({
  status: z.object({ tls: z.object({ mode: z.string(), allMembers: z.boolean(), certificateExpires: z.string() }) }),
});
const Secret = z.object({ metadata: z.object({ uid: z.string() }), data: z.record(z.string(), z.string()) });

export const tls = rotatingStory("tls", 7, (stage) => {
  let built: BuiltVersion;
  let client: TlsClient;
  let olderClient: TlsClient;
  let atFirst: { readonly authorities: readonly string[]; readonly members: unknown; readonly record: string };

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    client = new TlsClient(stage.kubectl, ...orders);
    olderClient = new TlsClient(stage.kubectl, ...older);
    await stage.operator.stop();
    await stage.operator.start({ DATABASE_OPERATOR_CERTIFICATE_DAYS: inDays });
    await apply("orders", { backup: { enabled: true } });
    await untilReady(stage.kubectl, orders, minutes(4));
    // or there is no replica to connect to
    await untilDatabase(stage.kubectl, orders, assertRolesTaken, minutes(1));
    await client.start(built.image, { trusts: true });
    // until the end of the story
    await client.begin({ isForAll: true });
    const [authorities, record] = [await authoritiesOf("orders"), await recordOf("orders")];
    atFirst = { authorities, record, members: await membersNow() };
  });

  const apply = (name: string, spec: Record<string, unknown> = {}): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(name, namespace, {
        ...{ version: built.version, replicas: 2, storage: "1Gi" },
        ...{ backup: { enabled: false }, deletionPolicy: "Delete", ...spec },
      }),
    );

  const tlsOf = async (name: string): Promise<z.infer<typeof Status>["status"]["tls"]> =>
    Status.parse(await stage.kubectl.find("database", name, namespace)).status.tls;

  const hasAllOf = async (name: string, wanted: string): Promise<void> => {
    const { mode, allMembers } = await tlsOf(name);
    assert.deepEqual([mode, allMembers], [wanted, true]);
  };

  /** Until nothing of it is due for a while: what follows begins with that. */
  const untilFresh = (name: string): Promise<void> =>
    eventually(async () => {
      const left = Date.parse((await tlsOf(name)).certificateExpires) - Date.now();
      assert.ok(left > (lives.certificate - 120) * 1000, `good for ${left} ms`);
    }, unhurried(6));

  const primaryOf = async (name: string, former?: string): Promise<string> => {
    const found = await labelledPrimaries(stage.kubectl, [namespace, name]);
    const primary = found.find((pod) => pod.name !== former);
    assert.ok(primary);
    assert.equal(await askMember(primary.name, "select pg_is_in_recovery()"), "f");
    return primary.name;
  };

  /** Of `older`. */
  const replicaTo = (primary: string): string => (primary === "older-0" ? "older-1" : "older-0");

  const askMember = (pod: string, sql: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, pod, sql);

  /** By the primary's word. It may be that none follows for a moment. */
  const replicatesOverTls = (name: string): Promise<void> =>
    eventually(async () => {
      const sql =
        "select count(*), bool_and(ssl) from pg_stat_ssl join pg_stat_replication using (pid) where state = 'streaming'";
      assert.equal(await askMember(await primaryOf(name), sql), "1|t");
    }, minutes(1));

  /** What shows whether any member of `orders` was restarted. */
  const membersNow = async (): Promise<unknown> => {
    const pods = Pods.parse(await stage.kubectl.list("pods", { namespace }));
    const members = pods.filter(({ metadata: { name } }) => /^orders-[0-9]$/.test(name));
    const starts = members.map(({ metadata }) => askMember(metadata.name, "select pg_postmaster_start_time()"));
    const restarts = members.map(({ metadata: { name, uid }, status }) => [
      name,
      uid,
      status.containerStatuses.map((one) => one.restartCount),
    ]);
    return [restarts, await Promise.all(starts)];
  };

  const secretOf = async (name: string, of: string): Promise<z.infer<typeof Secret>> =>
    Secret.parse(await stage.kubectl.find("secret", name, of));

  /** Of the operator. */
  const recordOf = async (name: string): Promise<string> =>
    (await secretOf(`certificates.${namespace}.${name}`, "database-operator-system")).metadata.uid;

  const authoritiesOf = async (name: string): Promise<readonly string[]> => {
    const { data } = await secretOf(`${name}-ca`, namespace);
    const text = Buffer.from(data["ca.crt"] ?? "", "base64").toString();
    return text.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  };

  /** None of its connections may fail, nor its session break, and it must connect still. */
  async function assertUndisturbed(one: TlsClient, { made, failed, lost, said }: Counted): Promise<void> {
    assert.deepEqual([failed, lost, said], [0, 0, []]);
    await eventually(async () => {
      assert.ok((await one.counted()).made > made, "it connects still");
    });
  }

  test("who checks the server by its name is let in, and who connects without TLS, or trusts another one, is not", async () => {
    assert.equal(await client.ask("select ssl from pg_stat_ssl where pid = pg_backend_pid()"), "t");
    await assert.rejects(client.ask("select 1", "verify-full", "disable"), /no pg_hba\.conf entry .*no encryption/);
    const { certificate: another } = await newAuthority();
    await client.run('printf %s "$1" >/tmp/another.crt', another);
    await assert.rejects(
      client.ask("select 1", "/etc/database-ca/ca.crt", "/tmp/another.crt"),
      /certificate verify failed/,
    );
    await assert.rejects(
      client.ask("select 1", "@orders.tls.svc", "@orders-headless.tls.svc"),
      /does not match host name/,
    );
    await hasAllOf("orders", "Require");
    await replicatesOverTls("orders");
    // so has the Job that took it
    await untilBackedUp(stage.kubectl, orders, minutes(3));
  });

  test("a certificate is renewed under load: members show it, and no client notices", patient, async () => {
    const { certificateExpires: former } = await tlsOf("orders");
    await eventually(async () => {
      assert.notEqual((await tlsOf("orders")).certificateExpires, former);
    }, unhurried(8));
    await eventually(async () => {
      const until = Date.parse((await tlsOf("orders")).certificateExpires);
      for (const member of ["orders-0", "orders-1"])
        assert.equal(await client.shownUntil(`${member}.orders-headless.tls.svc`), until);
    }, unhurried(3));
    assert.ok(Date.now() < Date.parse(former), "it was there in time");
    await assertUndisturbed(client, await client.counted());
    assert.deepEqual(await membersNow(), atFirst.members);
  });

  test("a Database without TLS gets it in two steps: members restart, and clients stay", patient, async () => {
    await apply("older", { tls: { mode: "Off" } });
    await untilReady(stage.kubectl, older, minutes(4));
    await olderClient.start(built.image, { trusts: false });
    const modes = new Set<string>();
    const { said, longest } = await olderClient.during(async () => {
      await apply("older", { tls: { mode: "Require" } });
      await eventually(async () => {
        modes.add((await tlsOf("older")).mode);
        await hasAllOf("older", "Require");
      }, unhurried(8));
      await untilReady(stage.kubectl, older, minutes(3));
      await replicatesOverTls("older");
    });
    assert.deepEqual([...modes], ["Prefer", "Require"]);
    assert.ok(longest < mostWithout, `${longest} s without a connection`);
    // each change of the primary ends connections, and has none for a moment: none is refused
    const refusals = said.filter((text) => /certificate|pg_hba|no encryption/i.test(text) && !isOfAnEnd(text));
    assert.deepEqual(refusals, []);
    await assert.rejects(olderClient.ask("select 1", "5432/app", "5432/app?sslmode=disable"), /no encryption/);
  });

  test("a primary that wrote alone and froze is rewound over TLS, and follows", patient, async () => {
    const processes = new MemberProcesses(stage.kubectl, namespace);
    const former = await primaryOf("older");
    await askMember(former, "create table notes (text text)");
    await replicatesOverTls("older");
    await eventually(async () => {
      assert.equal(await askMember(replicaTo(former), "select count(*) from notes"), "0");
    });
    const successor = await processes.outrun(
      former,
      () => askMember(former, "insert into notes values ('alone')"),
      () => primaryOf("older", former),
    );
    await askMember(successor, "insert into notes values ('together')");
    await eventually(async () => {
      assert.equal(await askMember(former, "select pg_is_in_recovery(), text from notes"), "t|together");
    }, minutes(3));
    const log = await stage.kubectl("logs", "-n", namespace, former, "-c", "postgresql");
    assert.match(log, /pg_rewind exit code=0/);
    // no probe ends the exporter: it would not stop with its pod
    signal(await processes.of(former), "SIGCONT");
    await untilReady(stage.kubectl, older, minutes(3));
    await replicatesOverTls("older");
  });

  test(
    "a member that starts with a key that does not fit shows what it showed last, until it gets the right one",
    patient,
    async () => {
      const replica = replicaTo(await primaryOf("older"));
      const inReplica = (...command: string[]): Promise<string> =>
        stage.kubectl("exec", "-n", namespace, replica, "-c", "postgresql", "--", ...command);
      const log = (): Promise<string> => stage.kubectl("logs", "-n", namespace, replica, "-c", "postgresql");
      await untilFresh("older");
      const requires = { tls: { mode: "Require" } };
      await apply("older", { ...requires, paused: true });
      await untilCondition(stage.kubectl, older, { type: "Stalled", status: "False", reason: "Paused" }, minutes(1));
      const broken = Buffer.from("broken").toString("base64");
      const edit = JSON.stringify({ data: { "tls.key": broken } });
      await stage.kubectl("patch", "secret", "older-server-tls", "-n", namespace, "-p", edit);
      await eventually(async () => {
        assert.equal(await inReplica("cat", "/etc/database-tls/tls.key"), "broken");
      }, minutes(2));
      await deletePods(stage.kubectl, namespace, [replica]);
      await eventually(async () => {
        assert.match(await log(), /do not fit: the server starts with those that it showed last/);
      }, minutes(2));
      await replicatesOverTls("older");
      await apply("older", requires);
      await untilReady(stage.kubectl, older, minutes(3));
      assert.notEqual((await secretOf("older-server-tls", namespace)).data["tls.key"], broken);
      await eventually(async () => {
        assert.doesNotMatch(await inReplica("ls", "/run/postgresql"), /certificate\.conf/);
      }, minutes(2));
      await replicatesOverTls("older");
    },
  );

  test("a lost record, and so another authority, under load: no new connection fails", patient, async () => {
    const former = await authoritiesOf("older");
    // what was signed with the lost key must be good until the next authority is known, as usual ones are
    await untilFresh("older");
    const checking = new TlsClient(stage.kubectl, ...older);
    await stage.kubectl("delete", "pod", "older-client", "-n", namespace);
    // the uri asks for the name to be checked from now on
    await checking.start(built.image, { trusts: true });
    const counted = await checking.during(async () => {
      await stage.kubectl("delete", "secret", `certificates.${namespace}.older`, "-n", "database-operator-system");
      await apply("older", { tls: { mode: "Require" }, config: { work_mem: "5MB" } });
      await eventually(async () => {
        assert.equal((await authoritiesOf("older")).length, 2);
      }, unhurried(3));
      await eventually(async () => {
        const present = await authoritiesOf("older");
        assert.deepEqual([present.length, present.some((one) => former.includes(one))], [1, false]);
      }, unhurried(10));
      const { made } = await checking.counted();
      await eventually(async () => {
        assert.ok((await checking.counted()).made > made + 20, "connections are made under the new authority alone");
      }, minutes(1));
    });
    assert.deepEqual([counted.failed, counted.lost, counted.said], [0, 0, []]);
  });

  test("an authority is renewed in time under load: trusted, signing and then alone", patient, async () => {
    await eventually(async () => {
      const present = await authoritiesOf("orders");
      assert.deepEqual([present.length, present.some((one) => atFirst.authorities.includes(one))], [1, false]);
    }, unhurried(12));
    // until members and the client have it
    await eventually(async () => {
      assert.equal(await client.run("grep -c BEGIN /etc/database-ca/ca.crt"), "1");
    }, unhurried(3));
    const counted = await client.counted();
    assert.equal(counted.most, 2, "the client could read both");
    await assertUndisturbed(client, counted);
    assert.deepEqual([await recordOf("orders"), await membersNow()], [atFirst.record, atFirst.members]);
  });
});
