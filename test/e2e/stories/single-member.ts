// PostgreSQL with one member on a real node: created, deleted under each policy, restored from the last backup, given hostile parameters.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { run } from "../../../tools/host/command";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { deletePods } from "../../harness/pods";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { restoreNewest } from "../../harness/restore";
import { hostileStrings, isOneLine } from "../../input/strings";
import { proves } from "../../judges/reliability/case";
import { deletion } from "../../judges/reliability/cases/deletion";
import { input } from "../../judges/reliability/cases/input";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "single-member";

export const singleMember = rotatingStory(namespace, 4, (stage) => {
  let built: BuiltVersion;

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  });

  /** An application that uses a Database. */
  const clientOf = (name: string): PostgresqlClient =>
    new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });

  const apply = (spec: Record<string, unknown>, name: string): Promise<string> =>
    stage.kubectl.apply(modestDatabase(name, namespace, { version: built.version, storage: "2Gi", ...spec }));

  test("one replica: it works, and under Delete nothing of it remains", async () => {
    const notes = [namespace, "notes"] as const;
    const client = clientOf("notes");
    await apply({ replicas: 1, deletionPolicy: "Delete", backup: { enabled: false } }, "notes");
    await untilReady(stage.kubectl, notes, minutes(3));
    await client.ask("create table t (x int); insert into t values (1)");
    assert.equal(await client.ask("select x from t", "notes-ro"), "1");
    await stage.kubectl("delete", "database", "notes", "-n", namespace, "--timeout=180s");
    await client.remove();
    for (const kind of ["pvc", "secret", "pod", "statefulset"]) {
      await eventually(async () => {
        assert.deepEqual(
          (await stage.kubectl.names(kind, namespace)).filter((name) => name.includes("notes")),
          [],
        );
      }, minutes(1));
    }
  });

  proves(deletion.snapshotRestored, async () => {
    const ledger = [namespace, "ledger"] as const;
    const client = clientOf("ledger");
    await apply({ replicas: 1, deletionPolicy: "Snapshot" }, "ledger");
    await untilReady(stage.kubectl, ledger, minutes(3));
    await untilBackedUp(stage.kubectl, ledger, minutes(2));
    // after the first backup: only the last one can have them
    await client.ask("create table t (x int); insert into t select generate_series(1, 1000)");
    await client.remove();
    await stage.kubectl("delete", "database", "ledger", "-n", namespace, "--timeout=300s");
    const left = await stage.kubectl.names("pvc,configmap,statefulset,pod,secret", namespace);
    assert.deepEqual(
      left.filter((name) => name.includes("ledger")),
      // the volume, and which of the backups on it are kept; what clients and members know a Database of that name by
      ["ledger-backup", "ledger-backup", "ledger-ca", "ledger-credentials", "ledger-server-tls", "ledger-system"],
    );
    const log = await restoreNewest(stage.kubectl, { namespace, name: "ledger", image: built.image, size: "2Gi" });
    assert.match(log, /backup successfully verified/);
    await apply({ replicas: 1, deletionPolicy: "Delete" }, "ledger");
    await untilReady(stage.kubectl, ledger, minutes(3));
    assert.equal(await client.ask("select count(*) from t"), "1000");
    await stage.kubectl("delete", "database", "ledger", "-n", namespace, "--timeout=180s");
  });

  /** As the superuser, in a member's container. */
  const askMember = (pod: string, statement: string): Promise<string> =>
    run("kubectl", ["exec", "-i", "-n", namespace, pod, "-c", "postgresql", "--", "psql", "-XAt", "-d", "app"], {
      env: stage.platform.environment,
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
    await untilReady(stage.kubectl, [namespace, "quoted"], minutes(3));
    await askMember("quoted-0", "create table canary (x int); insert into canary values (1)");
    // a restart, so that all of it is read once more
    await deletePods(stage.kubectl, namespace, ["quoted-0"]);
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
        stage.kubectl("exec", "-n", namespace, "quoted-0", "-c", container, "--", "sh", "-c", command);
      assert.equal(await inside(find), "");
    }
    // the search would have found one
    const planted = `touch /tmp/canary && ${find} && rm /tmp/canary`;
    const exec = ["exec", "-n", namespace, "quoted-0", "-c", "postgresql", "--", "sh", "-c", planted];
    assert.equal((await stage.kubectl(...exec)).trim(), "/tmp/canary");
  });

  proves(input.refusedByServer, async () => {
    // no pod has a share of them
    const broken = { ...hostileSpec, config: { ...hostileConfig, huge_pages: "on" } };
    await apply(broken, "quoted");
    const rejected = { type: "Stalled", status: "True", reason: "ConfigRejected" };
    await untilCondition(stage.kubectl, [namespace, "quoted"], rejected, minutes(2));
    await apply(hostileSpec, "quoted");
    await untilReady(stage.kubectl, [namespace, "quoted"], minutes(3));
    await eventually(async () => {
      assert.equal(await askMember("quoted-0", "select count(*) from canary"), "1");
    }, minutes(1));
    await stage.kubectl("delete", "database", "quoted", "-n", namespace, "--timeout=180s");
  });
});
