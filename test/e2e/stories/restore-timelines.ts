// What object storage has of a PostgreSQL whose primary changed: a new Database follows it over each change, to any moment on either side.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilBackedUp, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { withoutRoom } from "../../harness/nodes";
import { ObjectStorage } from "../../harness/object-storage";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "restore-timelines";
const name = "orders";
const place = [namespace, name] as const;

export const restoreOverTimelines = rotatingStory("restore-timelines", 5, tell);

/** The server's clock, in RFC 3339. */
const clock = `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const rows = "select string_agg(id::text, ',' order by id) from items";

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let storage: ObjectStorage;
  let client: PostgresqlClient;
  /** After the first change of the primary, and before the second. */
  let between = "";

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    storage = await ObjectStorage.start(stage.kubectl, namespace);
    client = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
  });
  after(() => storage.stop());

  const apply = (database: string, spec: Record<string, unknown>): Promise<string> =>
    stage.kubectl.apply(
      modestDatabase(database, namespace, { version: built.version, replicas: 1, storage: "2Gi", ...spec }),
    );

  async function primary(): Promise<string> {
    const [found] = await labelledPrimaries(stage.kubectl, place);
    assert.ok(found, "there is no primary");
    return found.name;
  }

  const ofPrimary = async (sql: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, await primary(), sql);

  /** The primary's pod goes, without a word to it; another member leads afterwards, and takes writes. */
  async function changePrimary(): Promise<void> {
    const former = await primary();
    // one that is back at once may continue as primary
    await withoutRoom(stage.kubectl, async () => {
      await stage.kubectl("delete", "pod", former, "-n", namespace, "--force", "--grace-period=0", "--wait=false");
      await eventually(async () => {
        assert.notEqual(await primary(), former);
        assert.equal(await ofPrimary("select pg_is_in_recovery()"), "f");
      }, minutes(2));
    });
  }

  /** Until all that was committed so far has arrived, which ends on that timeline or a later one. */
  async function untilArrived(timeline: number): Promise<void> {
    const segment = await ofPrimary("select pg_walfile_name(pg_switch_wal())");
    await eventually(async () => {
      const archived = await ofPrimary("select last_archived_wal from pg_stat_archiver");
      assert.ok(archived >= segment, `${archived} is the last one, and ${segment} is needed`);
    }, minutes(2));
    assert.ok(Number.parseInt(segment.slice(0, 8), 16) >= timeline, `${segment} is of timeline ${timeline}`);
  }

  test("a primary is lost while a backup of it is taken and its WAL is on its way", async () => {
    const backup = { destination: storage.destination, pointInTime: { everySeconds: 10 } };
    await apply(name, { replicas: 2, backup });
    await untilReady(stage.kubectl, place, minutes(5));
    await untilBackedUp(stage.kubectl, place, minutes(4));
    await client.ask("create table items (id int primary key); insert into items values (1)");
    await stage.kubectl.apply(databaseBackup("during", namespace, { database: name }));
    await untilPhase(stage.kubectl, [namespace, "during"], "Running");
    await changePrimary();
    await untilReady(stage.kubectl, place, minutes(4));
    await client.ask("insert into items values (2)");
    await untilPhase(stage.kubectl, [namespace, "during"], "Succeeded");
  });

  test("another one is lost between two commits that are seconds apart", async () => {
    await client.ask("select pg_sleep(1)");
    between = await client.ask(clock);
    await client.ask("select pg_sleep(1)");
    await client.ask("insert into items values (3)");
    await untilReady(stage.kubectl, place, minutes(4));
    await changePrimary();
    await untilReady(stage.kubectl, place, minutes(4));
    await client.ask("insert into items values (4)");
    await untilArrived(3);
  });

  test("a person has another member lead between two segments, by patronictl", async () => {
    await untilReady(stage.kubectl, place, minutes(4));
    const former = await primary();
    await client.ask("insert into items values (5)");
    await ofPrimary("select pg_switch_wal()");
    const asked = ["patronictl", "switchover", "--force"];
    await stage.kubectl("exec", "-n", namespace, former, "-c", "postgresql", "--", ...asked);
    await eventually(async () => {
      assert.notEqual(await primary(), former);
      assert.equal(await ofPrimary("select pg_is_in_recovery()"), "f");
    }, minutes(1));
    await untilReady(stage.kubectl, place, minutes(4));
    await client.ask("insert into items values (6)");
    await untilArrived(4);
  });

  test("restored to the last of it, a Database has the rows of all timelines", async () => {
    await apply("latest", { backup: { enabled: false }, restore: { from: { name } } });
    await untilReady(stage.kubectl, [namespace, "latest"], minutes(5));
    assert.equal(await rowsOf("latest"), "1,2,3,4,5,6");
  });

  test("restored to a moment of the second timeline, it has the rows of the first two up to then", async () => {
    await apply("between", { backup: { enabled: false }, restore: { from: { name }, pointInTime: between } });
    await untilReady(stage.kubectl, [namespace, "between"], minutes(5));
    assert.equal(await rowsOf("between"), "1,2");
  });

  async function rowsOf(database: string): Promise<string> {
    const other = new PostgresqlClient(stage.kubectl, { namespace, database, image: built.image });
    const found = await other.ask(rows);
    await other.remove();
    return found;
  }
}
