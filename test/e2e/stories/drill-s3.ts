// PostgreSQL's backups in object storage, restored by drills with the WAL behind them: good ones, a byte that flipped, and WAL that is missing.
import assert from "node:assert/strict";
import { open, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { databaseBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { untilBackedUp, untilReady } from "../../harness/database";
import { Drills } from "../../harness/drills";
import { eventually, minutes } from "../../harness/eventually";
import { ObjectStorage } from "../../harness/object-storage";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "drill-s3";
const name = "orders";
const place = [namespace, name] as const;

export const drillOfObjectStorage = rotatingStory("drill-s3", 5, tell);

const inBackup = 1000;
const behind = 30;
const all = "SELECT count(*) FROM items";

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let storage: ObjectStorage;
  let drills: Drills;
  let label = "";
  /** Segments of WAL behind the backup, each with some rows. */
  const segments: string[] = [];

  const orders = (sql: string, expect?: string): unknown =>
    modestDatabase(name, namespace, {
      ...{ version: built.version, replicas: 1, storage: "2Gi" },
      backup: {
        ...{ destination: storage.destination, pointInTime: { everySeconds: 10 } },
        verify: { queries: [{ name: "rows-are-there", sql, ...(expect !== undefined && { expect }) }] },
      },
    });

  async function applied(...args: Parameters<typeof orders>): Promise<void> {
    await stage.kubectl.apply(orders(...args));
    await untilReady(stage.kubectl, place, minutes(4));
  }

  const ask = (sql: string): Promise<string> => askPostgresqlMember(stage.kubectl, namespace, `${name}-0`, sql);

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    storage = await ObjectStorage.start(stage.kubectl, namespace);
    drills = new Drills(stage.kubectl, place);
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    await applied(all, String(inBackup + behind));
    await untilBackedUp(stage.kubectl, place, minutes(4));
    const client = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
    await client.ask("create table items (id serial primary key); insert into items select generate_series(1, 1000)");
    await stage.kubectl.apply(databaseBackup("good", namespace, { database: name }));
    ({ label = "" } = await untilPhase(stage.kubectl, [namespace, "good"], "Succeeded"));
    for (const first of [1001, 1011, 1021]) {
      await client.ask(`insert into items select generate_series(${first}, ${first + 9})`);
      segments.push(await ask("select pg_walfile_name(pg_current_wal_lsn())"));
      await ask("select pg_switch_wal()");
    }
    await client.remove();
    await eventually(async () => {
      const archived = await ask("select last_archived_wal from pg_stat_archiver");
      assert.ok(archived >= (segments.at(-1) ?? ""), archived);
      await walOf(segments.at(-1) ?? "");
    }, minutes(2));
  });
  after(() => storage.stop());

  const home = (directory: string): string => storage.pathOf(join("tests", namespace, name, directory));

  /** The only file below a directory of which this holds. */
  async function fileIn(directory: string, holds: (file: string) => boolean): Promise<string> {
    const names = await readdir(directory, { recursive: true });
    const [found, other] = names.filter(holds);
    assert.ok(found !== undefined && other === undefined, `${names.length} files, ${found ?? "none"}, ${other ?? ""}`);
    return join(directory, found);
  }

  const walOf = (segment: string): Promise<string> => fileIn(home("archive"), (file) => file.includes(`${segment}-`));

  /** Flips a bit in the middle of the largest of the backup's data; twice makes it as it was. Of its manifest there is a copy beside it. */
  async function flip(): Promise<void> {
    const names = await readdir(home("backup"), { recursive: true });
    const files = names.filter((file) => file.includes(`${label}/bundle/`)).map((file) => join(home("backup"), file));
    const sizes = await Promise.all(files.map(async (file) => [file, await stat(file)] as const));
    const [largest] = sizes
      .filter(([, found]) => found.isFile())
      .toSorted(([, one], [, other]) => other.size - one.size);
    assert.ok(largest !== undefined);
    const file = await open(largest[0], "r+");
    const byte = Buffer.alloc(1);
    const at = Math.floor(largest[1].size / 2);
    await file.read(byte, 0, 1, at);
    byte.writeUInt8(byte.readUInt8() ^ 1);
    await file.write(byte, 0, 1, at);
    await file.close();
  }

  test("the newest backup is restored with all WAL behind it, and asked; its volume goes with the Job", async () => {
    await drills.after("drill-good", "True", "BackupRestored");
    const { recoverySeconds, ...verified } = await drills.verified();
    assert.deepEqual(verified, { name: "good", label });
    assert.ok(recoverySeconds > 0 && recoverySeconds < 180, String(recoverySeconds));
    await drills.untilNoVolume();
    assert.deepEqual(await stage.kubectl.names("pvc", namespace), [`data-${name}-0`]);
  });

  test("a drill without room, one whose pod is killed, and one while the storage is away say nothing, and leave no volume", async () => {
    await drills.beginCramped("drill-cramped", 32);
    const message = await drills.found("drill-cramped", "Unknown", "VerificationNotPossible");
    assert.match(message, /write a larger storage/);
    await applied("SELECT count(*) FROM items, pg_sleep(300)");
    await drills.begin("drill-killed");
    await drills.kill("drill-killed", "Running");
    await stage.operator.kill();
    await stage.operator.start();
    await drills.found("drill-killed", "Unknown", "VerificationNotPossible");
    await storage.halt();
    await drills.begin("drill-away");
    await drills.found("drill-away", "Unknown", "VerificationNotPossible");
    await storage.run();
    await drills.untilNoVolume();
    assert.equal((await drills.verified()).label, label, "what was verified before stays so");
    await applied(all, String(inBackup + behind));
  });

  test("a byte that flipped in the backup is found", async () => {
    await flip();
    const message = await drills.after("drill-damaged", "False", "BackupDamaged");
    assert.match(message, new RegExp(`^${label}: `));
    await flip();
    await drills.after("drill-mended", "True", "BackupRestored");
  });

  test("WAL that is missing behind the backup is found and named", async () => {
    const [, middle = ""] = segments;
    const lost = await walOf(middle);
    await rename(lost, `${lost}.hidden`);
    const message = await drills.after("drill-gap", "False", "ArchiveDamaged");
    assert.match(message, new RegExp(`WAL ${middle} is missing in the storage`));
    await rename(`${lost}.hidden`, lost);
    await drills.after("drill-whole", "True", "BackupRestored");
  });

  test("a query that does not hold is named, and what it returned is not told", async () => {
    await applied(all, "31337");
    const message = await drills.after("drill-asked", "False", "QueryFailed");
    assert.match(message, /query rows-are-there did not return what it is to/);
    assert.doesNotMatch(message, /1030|31337/);
    await applied(all, String(inBackup + behind));
    await drills.after("drill-right", "True", "BackupRestored");
    await drills.untilNoVolume();
  });
}
