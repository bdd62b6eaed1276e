// PostgreSQL from one major version to another on a real node: foretold, carried out with the operator and its Job killed, taken back, and confirmed.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { databaseBackup, untilPhase as untilBackupIs } from "../../harness/backups";
import { builtMinors, builtVersion } from "../../harness/built-versions";
import { messageOf, untilBackedUp, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes, type Patience } from "../../harness/eventually";
import { killPod } from "../../harness/pods";
import { runPreview } from "../../harness/preview";
import { askPostgresqlMember, PostgresqlClient } from "../../harness/real-postgresql";
import { RowWriter } from "../../harness/row-writer";
import {
  assertAsAnnounced,
  killUpgradePod,
  untilPhase as untilPhaseOf,
  untilStatus as untilStatusOf,
  type UpgradeStatus,
} from "../../harness/upgrades";
import { PLAIN_STORAGE_CLASS } from "../../../tools/cluster/volumes/loop/objects";
import type { Stage } from "../stage";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "upgrade";
const name = "orders";
const place = [namespace, name] as const;
/** A Database with one member, whose volume shares no blocks between files. */
const plainName = "plain";
const plainPlace = [namespace, plainName] as const;
const members = [0, 1, 2].map((n) => `${name}-${n}`);

/** Beside the version that most clusters have: the one that is left, and what carries it over. */
export const imagesOfUpgrade = ["postgresql-15", "postgresql-17-from-15"] as const;

const Members = z.array(z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) }));

const plainRows = "select g as id, md5(g::text) as text from generate_series(1, 20000) g";

export const postgresqlUpgrade = rotatingStory("postgresql-upgrade", 12, tell, { namespace });

function tell(stage: Stage): void {
  let [from, to] = ["", ""];
  let client: PostgresqlClient;
  let writer: RowWriter;

  const orders = (version: string, more: Record<string, unknown> = {}): unknown =>
    modestDatabase(name, namespace, { version, replicas: 3, storage: "2Gi", deletionPolicy: "Delete", ...more });

  const plain = (version: string): unknown =>
    modestDatabase(plainName, namespace, {
      ...{ version, replicas: 1, storage: "2Gi", deletionPolicy: "Delete" },
      storageClass: PLAIN_STORAGE_CLASS.metadata.name,
    });

  before(async () => {
    const built = builtVersion(stage.platform, "postgresql");
    to = built.version;
    from = builtMinors(stage.platform, "15").at(-1) ?? "";
    assert.notEqual(from, "", "PostgreSQL 15 was not built");
    await stage.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    client = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
    await stage.kubectl.apply(PLAIN_STORAGE_CLASS);
    await stage.kubectl.apply(orders(from));
    await stage.kubectl.apply(plain(from));
    for (const one of [place, plainPlace]) {
      await untilReady(stage.kubectl, one, minutes(4));
      await untilBackedUp(stage.kubectl, one, minutes(3));
    }
    await askMember(`${plainName}-0`, `create table items as ${plainRows}`);
    writer = await RowWriter.create(client);
  });

  const untilStatus = (check: (status: UpgradeStatus) => void, patience?: Patience): Promise<UpgradeStatus> =>
    untilStatusOf(stage.kubectl, place, check, patience);

  const untilPhase = (phase: string, patience?: Patience): Promise<UpgradeStatus> =>
    untilPhaseOf(stage.kubectl, place, [phase], patience);

  async function killOperator(): Promise<void> {
    await stage.operator.kill();
    await stage.operator.start();
  }

  const askMember = (pod: string, sql: string): Promise<string> =>
    askPostgresqlMember(stage.kubectl, namespace, pod, sql);

  const serverOf = async (pod: string): Promise<string> =>
    (await askMember(pod, "show server_version")).split(" ")[0] ?? "";

  /** All rows that were acknowledged so far. */
  async function hasAllRows(): Promise<void> {
    const expected = String(writer.acknowledged.length);
    await eventually(async () => {
      const found = `select count(*) from items where id <= ${expected}`;
      assert.equal(await client.ask(found), expected);
    }, minutes(2));
  }

  /** With all rows that were acknowledged; one that was committed without may be there, too. */
  async function bothRun(version: string): Promise<void> {
    await untilReady(stage.kubectl, place, minutes(5));
    const count = writer.acknowledged.length;
    for (const pod of members)
      await eventually(async () => {
        assert.equal(await serverOf(pod), version);
        assert.equal(await askMember(pod, `select count(*) from items where id <= ${count}`), String(count));
      }, minutes(2));
  }

  /** Which pods the members are. */
  async function membersNow(): Promise<readonly string[]> {
    const selector = `database=${name},app.kubernetes.io/component=database`;
    const pods = Members.parse(await stage.kubectl.list("pods", { namespace, selector }));
    return pods.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
  }

  async function backedUp(backup: string): Promise<void> {
    await stage.kubectl.apply(databaseBackup(backup, namespace, { database: name }));
    await untilBackupIs(stage.kubectl, [namespace, backup], "Succeeded");
  }

  const keptOn = (pod: string): Promise<string> =>
    stage.kubectl("exec", "-n", namespace, pod, "-c", "postgresql", "--", "ls", "/var/lib/postgresql/data");

  /** Whether a file on the volume of a member can have the blocks of another one. */
  async function sharesBlocks(pod: string): Promise<boolean> {
    const script =
      "cd /var/lib/postgresql/data; cp --reflink=always pgdata/PG_VERSION .probe; code=$?; rm -f .probe; echo $code";
    const said = await stage.kubectl(...["exec", "-n", namespace, pod, "-c", "postgresql", "--", "bash", "-c", script]);
    return said.trim() === "0";
  }

  test("a backup of another major version is refused by name, by the operator and by the program, and leaves no volume", async () => {
    const copy = (restore: Record<string, unknown>): unknown =>
      modestDatabase("copy", namespace, {
        ...{ version: to, replicas: 1, storage: "2Gi", deletionPolicy: "Delete" },
        ...{ backup: { enabled: false }, restore },
      });
    const ways = [
      [{ from: { name } }, "RestoreRefused", /is of PostgreSQL 15\.\d+, which PostgreSQL 17\.\d+ does not take in/],
      // of a volume the operator knows nothing
      [
        { volume: { claim: { name: `${name}-backup` } } },
        "RestoreFailed",
        /is of PostgreSQL 15, and the image of PostgreSQL 17/,
      ],
    ] as const;
    for (const [restore, reason, words] of ways) {
      await stage.kubectl.apply(copy(restore));
      const stalled = { type: "Stalled", status: "True", reason };
      const view = await untilCondition(stage.kubectl, [namespace, "copy"], stalled, minutes(3));
      assert.match(messageOf(view, "Stalled"), words);
      await stage.kubectl("delete", "database", "copy", "-n", namespace, "--timeout=120s");
      assert.equal(await stage.kubectl.find("pvc", "data-copy-0", namespace), undefined);
    }
  });

  test("a preview tells what follows, and refuses what the operator would refuse", async () => {
    const { environment } = stage.platform;
    const told = await runPreview(environment, orders(to));
    assert.equal(told.code, 1, told.output);
    assert.match(
      told.output,
      /a major upgrade from 15\.\d+ to 17\.\d+.*the database is down while Job orders-upgrade/s,
    );
    assert.match(told.output, /\+ Job orders-upgrade/);
    const bare = await runPreview(environment, orders(to, { backup: { enabled: false } }));
    assert.equal(bare.code, 2, bare.output);
    assert.match(bare.output, /a major upgrade is rehearsed with a backup on a volume/);
  });

  test("what the new version cannot have is named by the rehearsal; clients write meanwhile, and no member is touched", async () => {
    await client.ask("create table unfit (rights aclitem)");
    await backedUp("unfit");
    const before = await membersNow();
    await writer.write();
    writer.begin();
    await stage.kubectl.apply(orders(to));
    const refused = { type: "Stalled", status: "True", reason: "UpgradeFailed" };
    const view = await untilCondition(stage.kubectl, place, refused, minutes(4));
    assert.match(messageOf(view, "Stalled"), /cannot carry 15\.\d+ over to 17\.\d+.*aclitem/s);
    const written = writer.acknowledged.length;
    await eventually(() => {
      assert.ok(writer.acknowledged.length > written + 3);
    });
    assert.deepEqual([writer.failure, await membersNow()], [undefined, before]);
    await client.ask("drop table unfit");
    await backedUp("fit");
    await stage.kubectl.apply(orders(from));
    await untilStatus((status) => {
      assert.deepEqual([status.upgrade, status.version], [undefined, from]);
    }, minutes(2));
    await untilReady(stage.kubectl, place, minutes(2));
    assert.deepEqual([writer.failure, await membersNow()], [undefined, before]);
  });

  test("it is rehearsed and backed up while clients write, and they notice nothing", async () => {
    await stage.kubectl.apply(orders(to));
    await untilPhase("Rehearsing");
    const { upgrade } = await untilPhase("BackingUp");
    assert.ok(upgrade?.announcedSeconds !== undefined && upgrade.announcedSeconds > 0, JSON.stringify(upgrade));
    assert.equal(writer.failure, undefined);
  });

  test("it is carried out, and each row that was acknowledged comes along", async () => {
    assertAsAnnounced(await untilPhase("AwaitingConfirmation", minutes(4)));
    assert.notEqual(writer.failure, undefined, "its connection ended with the former server");
    await hasAllRows();
    assert.match(await keptOn(`${name}-0`), /^pgdata-15$/m);
  });

  test("the replica is one of the new version, and a third version is refused at the door", async () => {
    await bothRun(to);
    await assert.rejects(stage.kubectl.apply(orders("18.1")), /must be one of the two versions of the major upgrade/);
  });

  test("it is taken back with the operator killed on the way: what was written since is not there, and its files are kept", async () => {
    await client.ask("insert into items values (1000000)");
    // further than any member with the former files, and than Patroni lets one be behind that is to lead
    await client.ask(
      "create table bulk as select g, repeat(md5(g::text), 16) as text from generate_series(1, 20000) g",
    );
    await stage.kubectl.apply(orders(from));
    await untilStatus(({ upgrade }) => {
      assert.ok(["Stopping", "Converting", "Starting"].includes(upgrade?.phase ?? ""));
    });
    await stage.operator.kill();
    await stage.operator.start();
    await untilStatus((status) => {
      assert.deepEqual([status.upgrade?.phase, status.version], ["AwaitingConfirmation", from]);
    }, minutes(3));
    await bothRun(from);
    assert.equal(await client.ask("select count(*) from items where id = 1000000"), "0");
    assert.match(await keptOn(`${name}-0`), /^pgdata-17$/m);
    await assert.rejects(stage.kubectl.apply(orders(to)), /write spec\.upgrade\.confirmed/);
  });

  test("confirmed, the newer files go from each member, and the upgrade can begin again", async () => {
    await stage.kubectl.apply(orders(from, { upgrade: { confirmed: from } }));
    await untilStatus((status) => {
      assert.equal(status.upgrade, undefined);
    }, minutes(3));
    await bothRun(from);
    for (const pod of members) assert.doesNotMatch(await keptOn(pod), /^pgdata-|^\.removing/m);
  });

  test("begun again, it is rehearsed and backed up although the operator and the pod of the rehearsal are killed", async () => {
    const before = await membersNow();
    await stage.kubectl.apply(orders(to));
    await killUpgradePod(stage.kubectl, place, "Rehearsing");
    await killOperator();
    const { upgrade } = await untilPhaseOf(stage.kubectl, place, ["BackingUp", "Gathering"]);
    assert.ok((upgrade?.announcedSeconds ?? 0) > 0, JSON.stringify(upgrade));
    if (upgrade?.phase === "BackingUp") assert.deepEqual(await membersNow(), before);
  });

  test("the operator is killed as members gather, and again with the pods of the conversions: others complete them", async () => {
    await untilPhase("Gathering", minutes(3));
    await killOperator();
    const alone = async (): Promise<void> => {
      await stage.kubectl.apply(plain(to));
      await untilPhaseOf(stage.kubectl, plainPlace, ["Rehearsing"]);
      await killPod(stage.kubectl, namespace, `${plainName}-0`);
      await killUpgradePod(stage.kubectl, plainPlace, "Converting", minutes(5));
    };
    await Promise.all([killUpgradePod(stage.kubectl, place, "Converting", minutes(3)), alone()]);
    await killOperator();
    await untilPhase("AwaitingConfirmation", minutes(3));
    await hasAllRows();
  });

  test("where files share no blocks it is carried out with a copy, though operator, pod and member were killed", async () => {
    await untilPhaseOf(stage.kubectl, plainPlace, ["AwaitingConfirmation"], minutes(3));
    const pod = `${plainName}-0`;
    assert.deepEqual([await sharesBlocks(pod), await sharesBlocks(`${name}-0`)], [false, true]);
    assert.equal(await serverOf(pod), to);
    const sum = "select count(*), sum(hashtext(id || text)::bigint) from";
    assert.equal(await askMember(pod, `${sum} items`), await askMember(pod, `${sum} (${plainRows}) as written`));
    assert.match(await keptOn(pod), /^pgdata-15$/m);
  });

  test("what runs is confirmed, and the former files go", async () => {
    await bothRun(to);
    await stage.kubectl.apply(orders(to, { upgrade: { confirmed: to } }));
    await untilStatus((status) => {
      assert.deepEqual([status.upgrade, status.version], [undefined, to]);
    }, minutes(3));
    await untilCondition(stage.kubectl, place, { type: "Stalled", status: "False" }, minutes(2));
    await client.remove();
  });
}
