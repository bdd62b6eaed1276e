// PostgreSQL on a real node: real pods, real volumes, real SQL, for everything that the demo shows.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { run } from "../../tools/host/command";
import {
  database,
  labelledPrimaries,
  readDatabase,
  untilBackedUp,
  untilCondition,
  untilReady,
} from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { askDatabase, builtPostgresql } from "../harness/real-postgresql";
import { restoreNewest } from "../harness/restore";
import { runAgain } from "../harness/second-run";
import { hostileStrings, isOneLine } from "../input/strings";
import { proves } from "../reliability/case";
import { deletion } from "../reliability/cases/deletion";
import { input } from "../reliability/cases/input";

const namespace = "shop";
const place = [namespace, "orders"] as const;

let platform: PlatformCluster;
let operator: OperatorProcess;
let version: string;
let image: string;

before(async () => {
  platform = await startPlatformCluster({ nodes: "real" });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  ({ version, image } = await builtPostgresql());
  await platform.kubectl("create", "namespace", namespace);
  await platform.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

/** As an application: through a Service, with the credentials Secret. */
const ask = (statement: string, service = "orders", name = "orders"): Promise<string> =>
  askDatabase(platform.environment, { namespace, database: name, service, sql: statement });

const apply = (spec: Record<string, unknown> = {}, name = "orders"): Promise<string> =>
  platform.kubectl.apply(database(name, namespace, { version, storage: "2Gi", ...spec }));

test("apply: three members form a cluster, and an application uses it with the credentials of its Secret", async () => {
  await apply();
  const view = await untilReady(platform.kubectl, place, minutes(4));
  assert.equal(view.status.readyReplicas, 3);
  await ask("create table items (id int primary key); insert into items select generate_series(1, 100)");
  assert.equal(await ask("select count(*) from items"), "100");
  assert.equal(await ask("select pg_is_in_recovery()"), "f");
  assert.equal(await ask("show server_version").then((text) => text.split(" ")[0]), version);
});

test("the read-only Service leads to replicas, which have the rows and refuse writes", async () => {
  await eventually(async () => {
    assert.equal(await ask("select count(*), pg_is_in_recovery() from items", "orders-ro"), "100|t");
  }, minutes(1));
  await assert.rejects(ask("insert into items values (0)", "orders-ro"), /read-only transaction/);
});

test("the application's role owns its database and is nothing more", async () => {
  const role = "select rolsuper or rolreplication or rolcreaterole from pg_roles where rolname = current_user";
  assert.equal(await ask(role), "f");
  assert.equal(
    await ask("select pg_get_userbyid(datdba) = current_user from pg_database where datname = current_database()"),
    "t",
  );
});

test("the exporter serves metrics as a role that may read statistics and nothing more", async () => {
  const port = "http://127.0.0.1:9187/metrics";
  const script = `import urllib.request; print(urllib.request.urlopen('${port}').read().decode())`;
  const text = await platform.kubectl(
    "exec",
    "-n",
    namespace,
    "orders-0",
    "-c",
    "postgresql",
    "--",
    "python3",
    "-c",
    script,
  );
  assert.match(text, /^pg_up(\{[^}]*\})? 1$/m);
  const rights = "select rolsuper, pg_has_role(oid, 'pg_monitor', 'member') from pg_roles where rolname = 'monitor'";
  assert.equal(await ask(rights), "f|t");
});

test("a parameter that needs no restart arrives within seconds, and no member restarts", async () => {
  const started = await ask("select pg_postmaster_start_time()");
  await apply({ config: { work_mem: "9MB" } });
  await untilReady(platform.kubectl, place, minutes(2));
  await eventually(async () => {
    assert.equal(await ask("show work_mem"), "9MB");
  }, minutes(1));
  assert.equal(await ask("select pg_postmaster_start_time()"), started);
});

test("a parameter that needs a restart rolls the members, and no row is lost", async () => {
  await apply({ config: { work_mem: "9MB", max_connections: "150" } });
  await untilReady(platform.kubectl, place, minutes(5));
  await eventually(async () => {
    assert.equal(await ask("show max_connections"), "150");
    assert.equal(await ask("show max_connections", "orders-ro"), "150");
  }, minutes(2));
  assert.equal(await ask("select count(*) from items"), "100");
});

for (const manner of ["plain", "refresh"] as const) {
  test(`a second run of three running members changes nothing (${manner})`, async () => {
    const again = await runAgain(platform, operator, place, manner);
    operator = again.operator;
    assert.match(again.summary, /^\d+ unchanged$/);
  });
}

test("the primary dies while no operator runs: another member takes over, and no acknowledged row is lost", async () => {
  await operator.stop();
  const { primary } = (await readDatabase(platform.kubectl, "orders", namespace)).status;
  await ask("insert into items select generate_series(101, 200)");
  await eventually(async () => {
    assert.equal(await ask("select count(*) from items", "orders-ro"), "200");
  }, minutes(1));
  const former = await labelledPrimaries(platform.kubectl, place);
  await platform.kubectl("delete", "pod", primary, "-n", namespace, "--force", "--grace-period=0");
  // until its processes are gone the former one takes writes that nobody has after it
  await eventually(async () => {
    const [now, ...others] = await labelledPrimaries(platform.kubectl, place);
    assert.ok(now !== undefined && others.length === 0);
    assert.ok(former.every(({ uid }) => uid !== now.uid));
  }, minutes(2));
  // again where the acknowledgement was lost
  await eventually(async () => {
    await ask("insert into items values (201) on conflict do nothing");
  }, minutes(2));
  assert.equal(await ask("select count(*) from items"), "201");
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  // the status of before says that it is ready, too, until the operator has looked
  await eventually(async () => {
    const { status } = await readDatabase(platform.kubectl, "orders", namespace);
    const labelled = await labelledPrimaries(platform.kubectl, place);
    assert.deepEqual(
      [status.primary],
      labelled.map(({ name }) => name),
    );
  }, minutes(1));
  await untilReady(platform.kubectl, place, minutes(3));
});

test("kubectl scale takes members away and brings them back with the data they had", async () => {
  await platform.kubectl("scale", "database", "orders", "-n", namespace, "--replicas=2");
  assert.equal((await untilReady(platform.kubectl, place, minutes(3))).status.replicas, 2);
  await ask("insert into items values (202)");
  await platform.kubectl("scale", "database", "orders", "-n", namespace, "--replicas=3");
  await untilReady(platform.kubectl, place, minutes(3));
  for (const member of ["orders-0", "orders-1", "orders-2"]) {
    await eventually(async () => {
      const count = ["psql", "-XAt", "-d", "app", "-c", "select count(*) from items"];
      assert.equal(
        (await platform.kubectl("exec", "-n", namespace, member, "-c", "postgresql", "--", ...count)).trim(),
        "202",
      );
    }, minutes(2));
  }
});

test("a backup is taken, verified, listed and told of in the status; only the last ones are kept", async () => {
  // no scheduled one comes between
  const backup = { retention: 2, schedule: "0 0 29 2 *" };
  await apply({ config: { work_mem: "9MB", max_connections: "150" }, backup });
  await untilReady(platform.kubectl, place, minutes(2));
  // the change runs the first backup once more
  await untilBackedUp(platform.kubectl, place, minutes(3));
  for (const job of ["backup-a", "backup-b", "backup-c"]) {
    await platform.kubectl("create", "job", job, "-n", namespace, "--from=cronjob/orders-backup");
    await platform.kubectl("wait", "job", job, "-n", namespace, "--for=condition=Complete", "--timeout=180s");
  }
  const log = await platform.kubectl("logs", "job/backup-c", "-n", namespace);
  assert.equal(log.match(/^\s*orders-\d{8}T\d{6}Z\b/gm)?.length, 2, log);
  await eventually(async () => {
    const view = await untilBackedUp(platform.kubectl, place);
    assert.equal(view.status.lastBackup?.name, "backup-c");
  });
});

test("deleted and applied again under Retain: the rows are there and the old password works", async () => {
  const password = async (): Promise<string> =>
    platform.kubectl("get", "secret", "orders-credentials", "-n", namespace, "-o", "jsonpath={.data.password}");
  const before = await password();
  await platform.kubectl("delete", "database", "orders", "-n", namespace, "--timeout=180s");
  assert.deepEqual(await platform.kubectl.names("pod", namespace), []);
  await apply();
  await untilReady(platform.kubectl, place, minutes(4));
  assert.equal(await password(), before);
  assert.equal(await ask("select count(*) from items"), "202");
});

test("one replica: it works, a second run changes nothing, and under Delete nothing of it remains", async () => {
  const single = [namespace, "notes"] as const;
  await apply({ replicas: 1, deletionPolicy: "Delete", backup: { enabled: false } }, "notes");
  await untilReady(platform.kubectl, single, minutes(3));
  await ask("create table t (x int); insert into t values (1)", "notes", "notes");
  assert.equal(await ask("select x from t", "notes-ro", "notes"), "1");
  const again = await runAgain(platform, operator, single, "plain");
  operator = again.operator;
  assert.match(again.summary, /^\d+ unchanged$/);
  await platform.kubectl("delete", "database", "notes", "-n", namespace, "--timeout=180s");
  for (const kind of ["pvc", "secret", "pod", "statefulset"]) {
    await eventually(async () => {
      assert.deepEqual(
        (await platform.kubectl.names(kind, namespace)).filter((name) => name.includes("notes")),
        [],
      );
    }, minutes(1));
  }
});

proves(deletion.snapshotRestored, async () => {
  const ledger = [namespace, "ledger"] as const;
  const count = (): Promise<string> => ask("select count(*) from t", "ledger", "ledger");
  await apply({ replicas: 1, deletionPolicy: "Snapshot" }, "ledger");
  await untilReady(platform.kubectl, ledger, minutes(3));
  await untilBackedUp(platform.kubectl, ledger, minutes(2));
  // after the first backup: only the last one can have them
  await ask("create table t (x int); insert into t select generate_series(1, 1000)", "ledger", "ledger");
  await platform.kubectl("delete", "database", "ledger", "-n", namespace, "--timeout=300s");
  const left = await platform.kubectl.names("pvc,configmap,statefulset,pod,secret", namespace);
  assert.deepEqual(
    left.filter((name) => name.includes("ledger")),
    ["ledger-backup", "ledger-credentials", "ledger-system"],
  );
  const log = await restoreNewest(platform.kubectl, { namespace, name: "ledger", image, size: "2Gi" });
  assert.match(log, /backup successfully verified/);
  await apply({ replicas: 1, deletionPolicy: "Delete" }, "ledger");
  await untilReady(platform.kubectl, ledger, minutes(3));
  assert.equal(await count(), "1000");
  await platform.kubectl("delete", "database", "ledger", "-n", namespace, "--timeout=180s");
});

/** As the superuser, in a member's container. */
const askMember = (pod: string, statement: string): Promise<string> =>
  run("kubectl", ["exec", "-i", "-n", namespace, pod, "-c", "postgresql", "--", "psql", "-XAt", "-d", "app"], {
    env: platform.environment,
    input: statement,
  }).then((text) => text.trim());

const lines = Object.values(hostileStrings).filter((text) => isOneLine(text) && text.isWellFormed());
const hostileConfig = {
  ...Object.fromEntries(lines.map((text, index) => [`shop.p${index}`, text])),
  log_line_prefix: "%m '; DROP TABLE canary; -- $(touch /tmp/canary) `touch /tmp/canary` \\' ",
  application_name: "$(touch canary) \\ ' \" {{ x }}",
};
const hostileSpec = {
  replicas: 1,
  deletionPolicy: "Delete",
  backup: { enabled: false },
  config: hostileConfig,
  // the least that a member starts with
  resources: { requests: { memory: "128Mi" }, limits: { memory: "128Mi" } },
  monitoring: { labels: { constructor: "null" } },
};

proves(input.canaries, async () => {
  await apply(hostileSpec, "quoted");
  await untilReady(platform.kubectl, [namespace, "quoted"], minutes(3));
  await askMember("quoted-0", "create table canary (x int); insert into canary values (1)");
  // a restart, so that all of it is read once more
  await platform.kubectl("delete", "pod", "quoted-0", "-n", namespace);
  await eventually(async () => {
    assert.equal(await askMember("quoted-0", "select count(*) from canary"), "1");
  }, minutes(2));
  const hex = "select encode(convert_to(current_setting('shop.p' || i), 'UTF8'), 'hex')";
  const shown = await askMember("quoted-0", `${hex} from generate_series(0, ${lines.length - 1}) i order by i`);
  assert.deepEqual(
    shown.split("\n").map((text) => Buffer.from(text, "hex").toString()),
    lines,
  );
  assert.equal(await askMember("quoted-0", "show log_line_prefix"), hostileConfig.log_line_prefix.trim());
  const find = "find / -name '*canary*' -not -path '/proc/*' 2>/dev/null || true";
  for (const container of ["postgresql", "metrics"]) {
    const inside = (command: string): Promise<string> =>
      platform.kubectl("exec", "-n", namespace, "quoted-0", "-c", container, "--", "sh", "-c", command);
    assert.equal(await inside(find), "");
  }
  // the search would have found one
  const planted = `touch /tmp/canary && ${find} && rm /tmp/canary`;
  const exec = ["exec", "-n", namespace, "quoted-0", "-c", "postgresql", "--", "sh", "-c", planted];
  assert.equal((await platform.kubectl(...exec)).trim(), "/tmp/canary");
});

proves(input.refusedByServer, async () => {
  const broken = { ...hostileSpec, config: { ...hostileConfig, shared_preload_libraries: "no_such_library" } };
  await apply(broken, "quoted");
  const rejected = { type: "Stalled", status: "True", reason: "ConfigRejected" };
  await untilCondition(platform.kubectl, [namespace, "quoted"], rejected, minutes(2));
  await apply(hostileSpec, "quoted");
  await untilReady(platform.kubectl, [namespace, "quoted"], minutes(3));
  await eventually(async () => {
    assert.equal(await askMember("quoted-0", "select count(*) from canary"), "1");
  }, minutes(1));
  await platform.kubectl("delete", "database", "quoted", "-n", namespace, "--timeout=180s");
});

test("no password of any Database is in the operator's log", async () => {
  const Secrets = z.object({ items: z.array(z.object({ data: z.record(z.string(), z.string()) })) });
  const text = await platform.kubectl(
    "get",
    "secret",
    "-A",
    "-l",
    "database.example.com/record=credentials",
    "-o",
    "json",
  );
  const passwords = Secrets.parse(JSON.parse(text)).items.flatMap(({ data }) => Object.values(data));
  assert.ok(passwords.length >= 5);
  const log = JSON.stringify(operator.log);
  for (const encoded of passwords) {
    assert.ok(!log.includes(Buffer.from(encoded, "base64").toString()) && !log.includes(encoded));
  }
});
