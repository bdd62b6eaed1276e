// PostgreSQL on a real node: three members with real pods, real volumes and real SQL, for everything that the demo shows.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilBackedUp, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { deletePods } from "../../harness/pods";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { modestDatabase, story } from "../story";

export const namespace = "postgresql";
/** Of its Database. */
export const place = [namespace, "orders"] as const;

// no scheduled backup comes between
const backup = { retention: 2, schedule: "0 0 29 2 *" };

/** The Database at the end: what follows continues with it. */
export const ordersOf = (version: string): unknown =>
  modestDatabase("orders", namespace, {
    ...{ version, storage: "2Gi", backup },
    config: { work_mem: "9MB", max_connections: "150" },
  });

export const postgresql = story(namespace, (stage) => {
  let version: string;
  let image: string;
  let client: PostgresqlClient;

  before(async () => {
    ({ version, image } = builtVersion(stage.platform, "postgresql"));
    client = new PostgresqlClient(stage.kubectl, { namespace, database: "orders", image });
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  const ask = (statement: string, service?: string): Promise<string> => client.ask(statement, service);

  const apply = (spec: Record<string, unknown> = {}): Promise<string> =>
    stage.kubectl.apply(modestDatabase("orders", namespace, { version, storage: "2Gi", ...spec }));

  test("apply: three members form a cluster, and an application uses it with the credentials of its Secret", async () => {
    await apply();
    const view = await untilReady(stage.kubectl, place, minutes(4));
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

  test("the application's role owns its database and nothing more", async () => {
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
    const text = await stage.kubectl(
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
    await untilReady(stage.kubectl, place, minutes(2));
    await eventually(async () => {
      assert.equal(await ask("show work_mem"), "9MB");
    }, minutes(1));
    assert.equal(await ask("select pg_postmaster_start_time()"), started);
  });

  test("a parameter that needs a restart rolls the members, and no row is lost", async () => {
    await apply({ config: { work_mem: "9MB", max_connections: "150" } });
    await untilReady(stage.kubectl, place, minutes(5));
    await eventually(async () => {
      assert.equal(await ask("show max_connections"), "150");
      assert.equal(await ask("show max_connections", "orders-ro"), "150");
    }, minutes(2));
    assert.equal(await ask("select count(*) from items"), "100");
  });

  test("kubectl scale removes a member", async () => {
    await stage.kubectl("scale", "database", "orders", "-n", namespace, "--replicas=2");
    assert.equal((await untilReady(stage.kubectl, place, minutes(3))).status.replicas, 2);
    await ask("insert into items values (101)");
  });

  test("of two members the replica is down: orders-ro leads nowhere, and reads continue through orders-any", async () => {
    const [primary] = await labelledPrimaries(stage.kubectl, place);
    const replica = ["orders-0", "orders-1"].find((member) => member !== primary?.name) ?? "";
    const nodes = (await stage.kubectl("get", "nodes", "-o", "name")).trim().split("\n");
    await stage.kubectl("cordon", ...nodes);
    try {
      await deletePods(stage.kubectl, namespace, [replica], { patience: minutes(1) });
      await eventually(() => assert.rejects(ask("select 1", "orders-ro"), /connection to server/), minutes(1));
      assert.equal(await ask("select count(*), pg_is_in_recovery() from items", "orders-any"), "101|f");
    } finally {
      await stage.kubectl("uncordon", ...nodes);
    }
    await untilReady(stage.kubectl, place, minutes(2));
    const seen = new Set<string>();
    await eventually(async () => {
      seen.add(await ask("select pg_is_in_recovery()", "orders-any"));
      assert.deepEqual([...seen].sort(), ["f", "t"]);
    }, minutes(1));
  });

  test("kubectl scale brings a member back with the data that it had", async () => {
    await stage.kubectl("scale", "database", "orders", "-n", namespace, "--replicas=3");
    await untilReady(stage.kubectl, place, minutes(3));
    for (const member of ["orders-0", "orders-1", "orders-2"]) {
      await eventually(async () => {
        const count = ["psql", "-XAt", "-d", "app", "-c", "select count(*) from items"];
        assert.equal(
          (await stage.kubectl("exec", "-n", namespace, member, "-c", "postgresql", "--", ...count)).trim(),
          "101",
        );
      }, minutes(2));
    }
  });

  test("a backup is taken, verified, listed and shown in the status; only the last ones are kept", async () => {
    await stage.kubectl.apply(ordersOf(version));
    await untilReady(stage.kubectl, place, minutes(2));
    // the change runs the first backup once more
    await untilBackedUp(stage.kubectl, place, minutes(3));
    for (const job of ["backup-a", "backup-b", "backup-c"]) {
      await stage.kubectl("create", "job", job, "-n", namespace, "--from=cronjob/orders-backup");
      await stage.kubectl("wait", "job", job, "-n", namespace, "--for=condition=Complete", "--timeout=180s");
    }
    const log = await stage.kubectl("logs", "job/backup-c", "-n", namespace);
    assert.equal(log.match(/^\s*orders-\d{8}T\d{6}Z\b/gm)?.length, 2, log);
    await eventually(async () => {
      const view = await untilBackedUp(stage.kubectl, place);
      assert.equal(view.status.lastBackup?.job, "backup-c");
      // the newest is the last of the list
      assert.equal(
        view.status.lastBackup.label,
        log
          .match(/^\s*orders-\d{8}T\d{6}Z\b/gm)
          ?.at(-1)
          ?.trim(),
      );
    });
  });

  /** Runs a script beside the backups. */
  async function onBackupVolume(script: string): Promise<void> {
    const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
    const user = { runAsNonRoot: true, runAsUser: 999, runAsGroup: 999, fsGroup: 999 };
    await stage.kubectl.apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "beside-backups", namespace },
      spec: {
        ...{ restartPolicy: "Never", automountServiceAccountToken: false },
        securityContext: { ...user, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            ...{ name: "script", image, command: ["bash", "-euc", script], securityContext: restricted },
            volumeMounts: [{ name: "backup", mountPath: "/backup" }],
          },
        ],
        volumes: [{ name: "backup", persistentVolumeClaim: { claimName: "orders-backup" } }],
      },
    });
    const ended = ["pod/beside-backups", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=120s"];
    await stage.kubectl("wait", "-n", namespace, ...ended);
    await stage.kubectl("delete", "pod", "beside-backups", "-n", namespace);
  }

  test("a DatabaseBackup that is applied takes one, which stays beyond retention as long as it is kept", async () => {
    const apply = (keep: boolean): Promise<string> =>
      stage.kubectl.apply(databaseBackup("before-migration", namespace, { database: "orders", keep }));
    await apply(true);
    const { label, member, size } = await untilPhase(stage.kubectl, [namespace, "before-migration"], "Succeeded");
    assert.match(member ?? "", /^orders-\d$/);
    assert.ok(label !== undefined && size !== undefined && size > 0);
    await onBackupVolume(`test -f /backup/${label}/backup_manifest`);
    const takeAnother = async (job: string): Promise<string> => {
      await stage.kubectl("create", "job", job, "-n", namespace, "--from=cronjob/orders-backup");
      await stage.kubectl("wait", "job", job, "-n", namespace, "--for=condition=Complete", "--timeout=180s");
      return stage.kubectl("logs", `job/${job}`, "-n", namespace);
    };
    await untilKept(label);
    for (const job of ["beside-kept-1", "beside-kept-2"]) assert.ok((await takeAnother(job)).includes(label));
    const log = await stage.kubectl("logs", "job/beside-kept-2", "-n", namespace);
    assert.equal(log.match(/^\s*orders-\d{8}T\d{6}Z\b/gm)?.length, 3, log);
    await apply(false);
    await untilKept("");
    assert.match(await takeAnother("no-longer-kept"), new RegExp(`removed ${label}`));
    await eventually(async () => {
      assert.equal(await stage.kubectl.find("databasebackup", "before-migration", namespace), undefined);
    }, minutes(1));
  });

  /** Waits until the programs would spare these. */
  async function untilKept(labels: string): Promise<void> {
    await eventually(async () => {
      const kept = await stage.kubectl(
        ...["get", "configmap", "orders-backup", "-n", namespace, "-o", "jsonpath={.data.kept}"],
      );
      assert.equal(kept, labels);
    }, minutes(1));
  }

  test("where another backup would not fit, the oldest is removed before it is taken, and the newest stays", async () => {
    await onBackupVolume(`
      newest=$(ls -d /backup/orders-* | tail -n 1)
      room=$(($(du -sB1 "$newest" | cut -f1) * 9 / 10))
      fallocate -l $(($(df -B1 --output=avail /backup | tail -n 1) - room)) /backup/filler
    `);
    await stage.kubectl("create", "job", "backup-d", "-n", namespace, "--from=cronjob/orders-backup");
    await stage.kubectl("wait", "job", "backup-d", "-n", namespace, "--for=condition=Complete", "--timeout=180s");
    const log = await stage.kubectl("logs", "job/backup-d", "-n", namespace);
    assert.match(log, /removed orders-\d{8}T\d{6}Z to make room: .*\n(.*\n)*verified/);
    assert.equal(log.match(/^\s*orders-\d{8}T\d{6}Z\b/gm)?.length, 2, log);
    await onBackupVolume("rm /backup/filler");
  });

  test("deleted and applied again under Retain: the rows are there and the old password works", async () => {
    const password = async (): Promise<string> =>
      stage.kubectl("get", "secret", "orders-credentials", "-n", namespace, "-o", "jsonpath={.data.password}");
    const before = await password();
    await stage.kubectl("delete", "database", "orders", "-n", namespace, "--timeout=180s");
    assert.deepEqual(await stage.kubectl.names("pod", namespace), ["orders-client"]);
    await stage.kubectl.apply(ordersOf(version));
    await untilReady(stage.kubectl, place, minutes(4));
    assert.equal(await password(), before);
    assert.equal(await ask("select count(*) from items"), "101");
  });
});
