// PostgreSQL on a real node whose backups go to object storage: taken while clients write, by differences, through an outage, and restored.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import type { BackupStatus } from "../../../operator/api/backups/status";
import { backupsIn, databaseBackup, readBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { ObjectStorage } from "../../harness/object-storage";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";

const namespace = "backups-s3";
const name = "orders";
const place = [namespace, name] as const;

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
    6,
  );
});

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let storage: ObjectStorage;
  let client: PostgresqlClient;

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    storage = await ObjectStorage.start(stage.kubectl, namespace);
    client = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
  });
  after(() => storage.stop());

  const apply = (backup: Record<string, unknown>, replicas = 2): Promise<string> =>
    stage.kubectl.apply(modestDatabase(name, namespace, { version: built.version, replicas, storage: "2Gi", backup }));

  const primary = async (): Promise<string> => {
    const [found] = await labelledPrimaries(stage.kubectl, place);
    assert.ok(found, "there is no primary");
    return found.name;
  };

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
    const lost = await askPostgresqlMember(
      stage.kubectl,
      namespace,
      await primary(),
      "select pg_walfile_name(pg_current_wal_lsn())",
    );
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
      assert.ok((await askPostgresqlMember(stage.kubectl, namespace, await primary(), archived)) >= lost);
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
    const segment = await askPostgresqlMember(stage.kubectl, namespace, pod, "select pg_walfile_name(pg_switch_wal())");
    await eventually(async () => {
      const archived = "select last_archived_wal from pg_stat_archiver";
      assert.ok((await askPostgresqlMember(stage.kubectl, namespace, pod, archived)) >= segment);
    }, minutes(2));
    const ask = ["exec", "-n", namespace, pod, "-c", "postgresql", "--", "bash", "-c", restoring, "restoring"];
    assert.equal((await stage.kubectl(...ask, "select count(*) from t")).trim(), rows);
  });

  test("what waits beyond a quarter of the volume is given up, and as soon as the object storage is back, another backup is taken", async () => {
    await storage.halt();
    const fill = "perform pg_logical_emit_message(false, 'test', 'x'); perform pg_switch_wal();";
    const pod = await primary();
    await askPostgresqlMember(
      stage.kubectl,
      namespace,
      pod,
      `do $$ begin for i in 1..40 loop ${fill} end loop; end $$`,
    );
    const gap = { type: "ArchiveReady", status: "False", reason: "ArchiveGap" };
    await untilCondition(stage.kubectl, place, gap, minutes(4));
    await client.ask("insert into t (x) values (3)");
    await storage.run();
    await untilCondition(stage.kubectl, place, { type: "ArchiveReady", status: "True" }, minutes(5));
    const taken = (await backupsIn(stage.kubectl, namespace)).filter(({ status }) => status.trigger === "ArchiveGap");
    assert.ok(taken.some(({ status }) => status.phase === "Succeeded"));
  });
}
