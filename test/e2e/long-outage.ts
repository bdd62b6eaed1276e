// Object storage that is away for minutes while a client writes: a PostgreSQL Database in a namespace of its own, beside a story that has other things to do meanwhile.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { builtVersion } from "../harness/built-versions";
import { messageOf, untilBackedUp, untilCondition, untilReady } from "../harness/database";
import { Drills } from "../harness/drills";
import { eventually, minutes } from "../harness/eventually";
import { fillFirst, isGrowing } from "../harness/grown-volumes";
import { makeNamespace } from "../harness/kubectl";
import { ObjectStorage } from "../harness/object-storage";
import { askPostgresqlMember, PostgresqlClient } from "../harness/real-postgresql";
import type { Stage } from "./stage";
import { modestDatabase } from "./story";

const name = "ledger";
const member = `${name}-0`;
const data = "/var/lib/postgresql/data";
const size = "2Gi";

/** One session for all of it: whatever it would be told as an error ends it. */
const writing = `do $$ declare n int := 0; begin
  loop
    exit when exists (select from ended);
    n := n + 1;
    insert into items values (n);
    commit;
    perform pg_sleep(0.05);
  end loop;
end $$`;

/** So many segments of WAL that a volume which is full counts them as the cause, and none is given up. */
const filling = `do $$ begin
  for i in 1..14 loop
    perform pg_logical_emit_message(false, 'test', 'x');
    perform pg_switch_wal();
  end loop;
end $$`;

/** See the header. Its methods go in the order in which they stand. */
export class LongOutage {
  readonly #place: readonly [namespace: string, name: string];
  readonly #volumes: { readonly namespace: string; readonly database: string; readonly members: number };
  #since = 0;
  /** What ended the client, in words; undefined where nothing did. */
  #client: Promise<string | undefined> | undefined;

  private constructor(
    private readonly stage: Stage,
    private readonly namespace: string,
    private readonly storage: ObjectStorage,
    private readonly application: PostgresqlClient,
  ) {
    this.#place = [namespace, name];
    this.#volumes = { namespace, database: name, members: 1 };
  }

  /** Creates the Database, without waiting for it. */
  static async prepare(stage: Stage, namespace: string): Promise<LongOutage> {
    const { kubectl, platform } = stage;
    await makeNamespace(kubectl, namespace);
    const storage = await ObjectStorage.start(kubectl, namespace);
    const { image } = builtVersion(platform, "postgresql");
    const client = new PostgresqlClient(kubectl, { namespace, database: name, image });
    const outage = new LongOutage(stage, namespace, storage, client);
    await outage.#apply();
    return outage;
  }

  /** Lets a client write, and ends the storage. */
  async begin(): Promise<void> {
    const { kubectl } = this.stage;
    await untilReady(kubectl, this.#place, minutes(5));
    await untilBackedUp(kubectl, this.#place, minutes(4));
    await this.application.ask(
      "create table items (n int primary key); create table ended (at timestamptz default now())",
    );
    this.#client = this.application.ask(writing).then(() => undefined, String);
    await this.storage.halt();
    this.#since = Date.now();
  }

  /** Waits until it has lasted so long: clients write, and it is told. */
  async last(count: number): Promise<void> {
    await delay(Math.max(0, this.#since + count * 60_000 - Date.now()));
    const waiting = { type: "ArchiveReady", status: "False", reason: "ArchiveWaiting" };
    await untilCondition(this.stage.kubectl, this.#place, waiting, minutes(1));
    const rows = await this.#rows();
    await eventually(async () => {
      assert.ok((await this.#rows()) > rows);
    });
  }

  /** Fills the volume, of which what waits is so much that it would not be filling up without. */
  async fill(): Promise<void> {
    const { kubectl } = this.stage;
    await this.#ask(filling);
    await fillFirst(kubectl, this.#volumes, { container: "postgresql", mount: data, percent: 88 });
    const full = { type: "StorageReady", status: "False", reason: "FillingUp" };
    const view = await untilCondition(kubectl, this.#place, full, minutes(2));
    assert.match(
      messageOf(view, "StorageReady"),
      /write-ahead log, which waits for object storage: condition ArchiveReady says why; a larger volume would fill up as well, so it does not grow/,
    );
    assert.equal(await isGrowing(kubectl, this.#volumes, size), false);
  }

  /** Starts the storage again, and waits until it has all that was written; the client may have seen no error. */
  async end(): Promise<void> {
    const { kubectl } = this.stage;
    // what has waited lies there until the next checkpoint: with this beside it the volume would be full of data
    await kubectl("exec", "-n", this.namespace, member, "-c", "postgresql", "--", "rm", `${data}/filler`);
    await this.storage.run();
    await untilCondition(kubectl, this.#place, { type: "ArchiveReady", status: "True" }, minutes(4));
    await this.application.ask("insert into ended default values");
    assert.equal(await this.#client, undefined);
    const segment = await this.#ask("select pg_walfile_name(pg_switch_wal())");
    await eventually(async () => {
      assert.ok((await this.#ask("select last_archived_wal from pg_stat_archiver")) >= segment);
    }, minutes(2));
    await untilCondition(kubectl, this.#place, { type: "StorageReady", status: "True" }, minutes(2));
    assert.equal(await isGrowing(kubectl, this.#volumes, size), false);
  }

  /** A drill restores all rows: no WAL is missing. */
  async restored(): Promise<void> {
    const { kubectl } = this.stage;
    const expect = String(await this.#rows());
    await this.#apply({ queries: [{ name: "rows-are-there", sql: "SELECT count(*) FROM items", expect }] });
    await untilReady(kubectl, this.#place, minutes(2));
    await new Drills(kubectl, this.#place).after("drill-outage", "True", "BackupRestored");
    await kubectl("delete", "database", name, "-n", this.namespace, "--wait=false");
  }

  stop(): Promise<void> {
    return this.storage.stop();
  }

  async #rows(): Promise<number> {
    return Number(await this.#ask("select count(*) from items"));
  }

  #ask(sql: string): Promise<string> {
    return askPostgresqlMember(this.stage.kubectl, this.namespace, member, sql);
  }

  async #apply(verify: Record<string, unknown> = {}): Promise<void> {
    const { version } = builtVersion(this.stage.platform, "postgresql");
    const backup = { destination: this.storage.destination, pointInTime: { everySeconds: 60 }, verify };
    const spec = { version, replicas: 1, storage: size, storageAutoGrow: { maxSize: "4Gi" }, deletionPolicy: "Delete" };
    await this.stage.kubectl.apply(modestDatabase(name, this.namespace, { ...spec, backup }));
  }
}
