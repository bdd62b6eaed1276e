// PostgreSQL on a real node whose backups go to object storage: taken while clients write, by differences, through outages, and restored.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import test, { after, before } from "node:test";
import type { BackupStatus } from "../../../operator/api/backups/status";
import { backupsIn, databaseBackup, readBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { labelledPrimaries, messageOf, untilCondition, untilReady } from "../../harness/database";
import { Drills } from "../../harness/drills";
import { eventually, minutes } from "../../harness/eventually";
import { ObjectStorage } from "../../harness/object-storage";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import { LongOutage } from "../long-outage";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";

const namespace = "backups-s3";
const name = "orders";
const place = [namespace, name] as const;

/** The server's clock, in RFC 3339. */
const clock = `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Restores what the object storage has, to the last of it, and prints what a query finds. In a member's container, as files and keys are there. */
const restoring = `
set -eu
export PGBACKREST_REPO1_S3_KEY=$(cat /etc/database-backup/credentials/accessKeyId)
export PGBACKREST_REPO1_S3_KEY_SECRET=$(cat /etc/database-backup/credentials/secretAccessKey)
cluster=$(od -An -tu8 -N8 /var/lib/postgresql/data/pgdata/global/pg_control | tr -d ' ')
rm -rf /tmp/restored
pgbackrest --config=/etc/database-backup/repository/pgbackrest.conf --stanza=$cluster --pg1-path=/tmp/restored --archive-mode=off restore >&2
options="-p 5499 -c listen_addresses= -c unix_socket_directories=/tmp -c shared_buffers=32MB -c max_connections=100"
postgres -D /tmp/restored $options >&2 &
for second in $(seq 60); do
  if [ "$(psql -h /tmp -p 5499 -XAtqc 'select pg_is_in_recovery()' postgres 2>/dev/null)" = f ]; then break; fi
  sleep 1
done
psql -h /tmp -p 5499 -XAtqc "$1" app
kill -INT $!
wait $! || true
rm -rf /tmp/restored
`;

export const backupsToObjectStorage = story(namespace, (stage) => {
  rotating(
    "backups-s3",
    () => {
      tell(stage);
    },
    14,
  );
});

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let storage: ObjectStorage;
  let client: PostgresqlClient;
  let drills: Drills;
  let outage: LongOutage;
  /** Between two commits of which the WAL was given up. */
  let inGap = "";

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    storage = await ObjectStorage.start(stage.kubectl, namespace);
    client = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
    drills = new Drills(stage.kubectl, place);
    outage = await LongOutage.prepare(stage, `${namespace}-outage`);
  });
  after(async () => {
    await outage.stop();
    await storage.stop();
  });

  const apply = (backup: Record<string, unknown>, replicas = 2): Promise<string> =>
    stage.kubectl.apply(modestDatabase(name, namespace, { version: built.version, replicas, storage: "2Gi", backup }));

  const primary = async (): Promise<string> => {
    const [found] = await labelledPrimaries(stage.kubectl, place);
    assert.ok(found, "there is no primary");
    return found.name;
  };

  const ofMember = (pod: string, sql: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, pod, sql);

  async function take(backup: string): Promise<BackupStatus> {
    await stage.kubectl.apply(databaseBackup(backup, namespace, { database: name }));
    return untilPhase(stage.kubectl, [namespace, backup], "Succeeded");
  }

  /** Writes a row after the other until it is told to end, and returns how many were acknowledged. */
  function writeRows(): () => Promise<number> {
    const over = new AbortController();
    let rows = 0;
    const writing = (async () => {
      while (!over.signal.aborted) {
        await client.ask("insert into t (x) values (1)");
        rows += 1;
      }
    })();
    return async () => {
      over.abort();
      await writing;
      return rows;
    };
  }

  test("a Database is backed up to object storage as soon as it is there, and has no volume for it", async () => {
    await apply({ destination: storage.destination, pointInTime: { everySeconds: 10 } });
    await untilReady(stage.kubectl, place, minutes(5));
    await untilCondition(stage.kubectl, place, { type: "BackupReady", status: "True" }, minutes(5));
    const [first] = await backupsIn(stage.kubectl, namespace);
    assert.match(first?.status.label ?? "", /^\d{8}-\d{6}F$/);
    assert.equal(first?.status.location, `s3://backups/tests/${namespace}/${name}`);
    assert.ok((first.status.storedSize ?? 0) > 0 && (first.status.storedSize ?? 0) < (first.status.size ?? 0));
    assert.deepEqual((await stage.kubectl.names("pvc", namespace)).sort(), [`data-${name}-0`, `data-${name}-1`]);
    await client.ask("create table t (x int)");
  });

  test("the object storage of another one goes away, and does not come back for a while", () => outage.begin());

  test("the next one holds what has changed, is read from the replica, and no client notices", async () => {
    const end = writeRows();
    const { base, label = "", member, storedSize = 0 } = await take("second");
    assert.ok((await end()) > 0);
    const [first] = (await backupsIn(stage.kubectl, namespace)).filter(({ status }) => status.base === undefined);
    assert.equal(base, first?.status.label);
    assert.ok(label.startsWith(`${base ?? "?"}_`));
    assert.ok(storedSize < (first?.status.storedSize ?? 0));
    assert.notEqual(member, await primary());
  });

  test("while the object storage is away clients write, and afterwards it gets everything", async () => {
    await storage.halt();
    const end = writeRows();
    const lost = await ofMember(await primary(), "select pg_walfile_name(pg_current_wal_lsn())");
    await untilCondition(
      stage.kubectl,
      place,
      { type: "ArchiveReady", status: "False", reason: "ArchiveWaiting" },
      minutes(3),
    );
    assert.ok((await end()) > 0);
    await storage.run();
    await untilCondition(stage.kubectl, place, { type: "ArchiveReady", status: "True" }, minutes(3));
    await eventually(async () => {
      const archived = "select last_archived_wal from pg_stat_archiver";
      assert.ok((await ofMember(await primary(), archived)) >= lost);
    }, minutes(3));
  });

  test("a wrong key is named, and the right one counts without a restart", async () => {
    const pods = await stage.kubectl.names("pod", namespace);
    await storage.replaceKey("wrong");
    await stage.kubectl.apply(databaseBackup("third", namespace, { database: name }));
    await eventually(async () => {
      const { status } = await readBackup(stage.kubectl, namespace, "third");
      assert.match(status.message ?? "", /403|Forbidden|SignatureDoesNotMatch/);
    }, minutes(3));
    await storage.replaceKey();
    await untilPhase(stage.kubectl, [namespace, "third"], "Succeeded");
    const after = await stage.kubectl.names("pod", namespace);
    assert.ok(pods.filter((pod) => /^orders-\d$/.test(pod)).every((pod) => after.includes(pod)));
  });

  test("what the object storage has can be restored, to the last row that it has", async () => {
    // there is no segment without something in it
    await client.ask("insert into t (x) values (2)");
    const rows = await client.ask("select count(*) from t");
    const pod = await primary();
    const segment = await ofMember(pod, "select pg_walfile_name(pg_switch_wal())");
    await eventually(async () => {
      const archived = "select last_archived_wal from pg_stat_archiver";
      assert.ok((await ofMember(pod, archived)) >= segment);
    }, minutes(2));
    const ask = ["exec", "-n", namespace, pod, "-c", "postgresql", "--", "bash", "-c", restoring, "restoring"];
    assert.equal((await stage.kubectl(...ask, "select count(*) from t")).trim(), rows);
  });

  test("a drill before an outage passes", async () => {
    await drills.after("drill-before", "True", "BackupRestored");
  });

  test("what waits beyond a quarter of the volume is given up, and that is told", async () => {
    await storage.halt();
    const pod = await primary();
    const fill = "perform pg_logical_emit_message(false, 'test', 'x'); perform pg_switch_wal();";
    const write = (segments: number): Promise<string> =>
      ofMember(pod, `do $$ begin for i in 1..${segments} loop ${fill} end loop; end $$`);
    await write(20);
    await client.ask("insert into t (x) values (3)");
    inGap = await client.ask(clock);
    await client.ask("select pg_sleep(1)");
    await client.ask("insert into t (x) values (4)");
    await write(20);
    const gap = { type: "ArchiveReady", status: "False", reason: "ArchiveGap" };
    await untilCondition(stage.kubectl, place, gap, minutes(4));
  });

  test("a drill behind the gap, before anything has closed it, names what is missing", async () => {
    // it would take a backup as soon as the object storage is back
    await stage.operator.whileStopped(async () => {
      await storage.run();
      await client.ask("insert into t (x) values (5)");
      const segment = await ofMember(await primary(), "select pg_walfile_name(pg_switch_wal())");
      const archive = storage.pathOf(`tests/${namespace}/${name}/archive`);
      await eventually(async () => {
        const names = await readdir(archive, { recursive: true });
        assert.ok(names.some((file) => file.includes(`${segment}-`)));
      }, minutes(2));
      await drills.begin("drill-behind");
      const failed = ["--for=condition=Failed", "--timeout=200s"];
      await stage.kubectl("wait", "job", "drill-behind", "-n", namespace, ...failed);
    });
    const message = await drills.found("drill-behind", "False", "ArchiveDamaged");
    assert.match(message, /WAL [0-9A-F]{24} is missing in the storage/);
  });

  test("as WAL arrives again another backup is taken, from which on there is no gap, and a drill passes", async () => {
    await untilCondition(stage.kubectl, place, { type: "ArchiveReady", status: "True" }, minutes(4));
    const taken = (await backupsIn(stage.kubectl, namespace)).filter(({ status }) => status.trigger === "ArchiveGap");
    assert.ok(taken.some(({ status }) => status.phase === "Succeeded"));
    await drills.after("drill-after", "True", "BackupRestored");
    await drills.untilNoVolume();
  });

  test("a moment in the gap is refused by name, and leaves no volume", async () => {
    const restore = { from: { name }, pointInTime: inGap };
    const spec = { version: built.version, replicas: 1, storage: "2Gi", backup: { enabled: false } };
    await stage.kubectl.apply(modestDatabase("across", namespace, { ...spec, deletionPolicy: "Delete", restore }));
    const failed = { type: "Stalled", status: "True", reason: "RestoreFailed" };
    const view = await untilCondition(stage.kubectl, [namespace, "across"], failed, minutes(4));
    assert.match(
      messageOf(view, "Stalled"),
      /WAL [0-9A-F]{24} is missing in the storage, and later WAL is there: no restore gets past .* is behind it: ask for an earlier moment/s,
    );
    await stage.kubectl("delete", "database", "across", "-n", namespace, "--timeout=180s");
    assert.deepEqual((await stage.kubectl.names("pvc", namespace)).sort(), [`data-${name}-0`, `data-${name}-1`]);
  });

  test("after five minutes without object storage a client still writes, and it is told that WAL waits", () =>
    outage.last(5));

  test("a volume that WAL for a stuck archive fills does not grow, and says why", () => outage.fill());

  test("once the storage is back it gets everything, no client has seen an error, and a drill finds each row", async () => {
    await outage.end();
    await outage.restored();
  });
}
