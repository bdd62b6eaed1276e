// The superuser over the network: who has its password is refused, unless the Database lets it in; what needs the network has roles of its own.
import type { Stage } from "../stage";
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import type { Kubectl } from "../../harness/kubectl";
import { askMysqlMember } from "../../harness/real-mysql";
import type { askPostgresqlMember } from "../../harness/real-postgresql";
import { SuperuserPod } from "../../harness/superuser-pod";
import { modestDatabase, rotatingStory, type Story } from "../story";

/** What differs between engines. */
interface Kind {
  readonly engine: "postgresql" | "mysql";
  readonly superuser: string;
  readonly script: string;
  readonly askMember: typeof askPostgresqlMember;
  /** What the superuser hears that is refused. */
  readonly refused: RegExp;
  /** Statements on a primary, after which it is as one that was created before there were these roles. */
  readonly before: readonly string[];
  /** What the init Job's role tries in vain, with the password of the Secret. */
  readonly beyond: readonly (readonly [string, RegExp])[];
  /** Whether a member goes by a Database that says Local. */
  readonly isToldLocal: (kubectl: Kubectl, namespace: string, pod: string) => Promise<boolean>;
  /** Distinguishes a server from the one after it. */
  readonly started: string;
}

const initializer = "database_init";

const postgresql: Kind = {
  engine: "postgresql",
  superuser: "postgres",
  script: 'PGPASSWORD="$PASSWORD" exec psql "host=$1 user=$2 dbname=postgres connect_timeout=5" -XAtq -c "$3"',
  // privileges on what is in a database can be taken back in that database only
  askMember: (kubectl, namespace, pod, sql) =>
    kubectl("exec", "-n", namespace, pod, "-c", "postgresql", "--", "psql", "-XAtq", "-d", "postgres", "-c", sql),
  refused: /pg_hba\.conf rejects connection/,
  before: [
    "drop role no_network",
    "drop schema database_operator cascade",
    `drop owned by ${initializer}`,
    `drop role ${initializer}`,
  ],
  beyond: [
    ["create role mine superuser", /permission denied to create role/],
    ["alter role postgres password 'mine'", /permission denied to alter role|must be superuser/],
    ["select database_operator.ensure_role('postgres', 'SCRAM-SHA-256$x')", /only the roles app and monitor/],
    ["select pg_read_file('PG_VERSION')", /permission denied/],
  ],
  isToldLocal: async (kubectl, namespace, pod) => {
    const lines =
      "select count(*) from pg_hba_file_rules where user_name = array['postgres'] and auth_method = 'reject'";
    return (await postgresql.askMember(kubectl, namespace, pod, lines)) !== "0";
  },
  started: "select pg_postmaster_start_time()",
};

const mysql: Kind = {
  engine: "mysql",
  superuser: "root",
  script: 'MYSQL_PWD="$PASSWORD" exec mysql --connect-timeout=5 --user="$2" --host="$1" -BN --execute="$3"',
  askMember: askMysqlMember,
  refused: /Account is locked/,
  before: ['alter user root@"%" account unlock', `drop user ${initializer}@"%"`],
  beyond: [
    ["alter user root@'%' account unlock", /SYSTEM_USER/],
    ["alter user replication@'%' identified by 'mine'", /SYSTEM_USER/],
    ["grant select on mysql.* to app@'%'", /denied/],
    ["select count(*) from mysql.user", /denied/],
  ],
  isToldLocal: async (kubectl, namespace, pod) => {
    const log = await kubectl("logs", "-n", namespace, pod, "-c", "mysql");
    const read = log.split("\n").filter((line) => line.includes('"the configuration was read"'));
    return read.at(-1)?.includes('"superuserAccess":"Local"') === true;
  },
  started: 'select variable_value from performance_schema.global_status where variable_name = "Uptime"',
};

const Job = z.object({
  metadata: z.object({ uid: z.string() }),
  status: z.object({ succeeded: z.number().default(0) }).prefault({}),
});

function superuserOf(kind: Kind): Story {
  const namespace = `superuser-${kind.engine}`;
  const place = [namespace, "orders"] as const;
  const tell = (stage: Stage): void => {
    let version: string;
    let pod: SuperuserPod;

    before(() => {
      const built = builtVersion(stage.platform, kind.engine);
      ({ version } = built);
      pod = new SuperuserPod(stage.kubectl, { namespace, database: "orders", image: built.image, script: kind.script });
    });

    const apply = (spec: Record<string, unknown> = {}): Promise<string> =>
      stage.kubectl.apply(
        modestDatabase("orders", namespace, {
          ...{ engine: kind.engine, version, replicas: 2, storage: "1Gi", backup: { enabled: false } },
          ...spec,
        }),
      );

    const askPrimary = async (sql: string): Promise<string> => {
      const [primary] = await labelledPrimaries(stage.kubectl, place);
      assert.ok(primary !== undefined, "there is no primary");
      return kind.askMember(stage.kubectl, namespace, primary.name, sql);
    };

    const untilLetIn = (service?: string): Promise<void> =>
      eventually(async () => {
        assert.equal(await pod.ask(kind.superuser, "select 1", service), "1");
      }, minutes(1));

    const untilRefused = (service?: string): Promise<void> =>
      eventually(() => assert.rejects(pod.ask(kind.superuser, "select 1", service), kind.refused), minutes(1));

    const initJob = async (): Promise<z.infer<typeof Job>> =>
      Job.parse(await stage.kubectl.find("job", "orders-init", namespace));

    test("a new Database: every member refuses the superuser with its password, and the init Job does not need it", async () => {
      await apply();
      await untilReady(stage.kubectl, place, minutes(5));
      await pod.start();
      for (const service of ["orders", "orders-ro"])
        await assert.rejects(pod.ask(kind.superuser, "select 1", service), kind.refused);
    });

    test("the role of the init Job is let in, and can do nothing beyond the Job", async () => {
      assert.equal(await pod.ask(initializer, "select 1"), "1");
      for (const [statement, message] of kind.beyond)
        await assert.rejects(pod.ask(initializer, statement), message, statement);
    });

    test("Network lets the superuser in to every member, Local shuts it out again, and no server restarts", async () => {
      const started = await askPrimary(kind.started);
      await apply({ superuserAccess: "Network" });
      for (const service of ["orders", "orders-ro"]) await untilLetIn(service);
      await apply({ superuserAccess: "Local" });
      for (const service of ["orders", "orders-ro"]) await untilRefused(service);
      const now = await askPrimary(kind.started);
      // of MySQL it is for how long it runs
      if (kind.engine === "mysql") assert.ok(Number(now) > Number(started));
      else assert.equal(now, started);
      await apply();
      await eventually(async () => {
        for (const member of ["orders-0", "orders-1"])
          assert.equal(await kind.isToldLocal(stage.kubectl, namespace, member), false);
      }, minutes(1));
      await untilRefused();
    });

    test("an older Database stays open until it says Local, and an init Job that runs meanwhile creates its role", async () => {
      const former = (await initJob()).metadata.uid;
      for (const statement of kind.before) await askPrimary(statement);
      await untilLetIn();
      await stage.kubectl("delete", "job", "orders-init", "-n", namespace);
      await eventually(async () => {
        const { metadata, status } = await initJob();
        assert.ok(metadata.uid !== former && status.succeeded === 1);
      }, minutes(2));
      assert.equal(await pod.ask(initializer, "select 1"), "1");
      await untilLetIn();
      await apply({ superuserAccess: "Local" });
      for (const service of ["orders", "orders-ro"]) await untilRefused(service);
      assert.equal(await askPrimary("select 1"), "1");
    });
  };
  return rotatingStory("superuser", 4, tell, { name: namespace });
}

export const superuserOfPostgresql = superuserOf(postgresql);
export const superuserOfMysql = superuserOf(mysql);
