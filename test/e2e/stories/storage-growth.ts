// PostgreSQL on a real node whose data volume fills up: it grows, and what was acknowledged is there, also where it was full for a moment.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { labelledPrimaries, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { isGrowing, reapply, untilGrown } from "../../harness/grown-volumes";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";

const namespace = "storage-growth";
const name = "orders";
const place = [namespace, name] as const;
const data = "/var/lib/postgresql/data";

const volumes = { namespace, database: name, members: 2 };

export const storageGrowth = story(namespace, (stage) => {
  rotating(
    "storage-growth",
    () => {
      tell(stage);
    },
    3,
  );
});

function tell(stage: Stage): void {
  let built: BuiltVersion;
  let client: PostgresqlClient;
  let acknowledged = 0;

  before(async () => {
    built = builtVersion(stage.platform, "postgresql");
    client = new PostgresqlClient(stage.kubectl, { namespace, database: name, image: built.image });
    // of a pod's annotation the audit log shows no more than that the pod was written, which is no reason for a run
    const why = "what a member says of its volume is why its operator runs";
    stage.platform.witness.disregard(namespace, why, ["quiet"]);
    await stage.kubectl.apply(orders());
    await untilReady(stage.kubectl, place, minutes(5));
    await client.ask("create table filling (id int primary key, x text)");
    await client.ask("alter table filling alter x set storage external");
  });

  /** As a person wrote it: of what its volumes grow to it knows nothing. */
  const orders = (more: Record<string, unknown> = {}): unknown =>
    modestDatabase(name, namespace, {
      ...{ version: built.version, replicas: volumes.members, storage: "1Gi", storageAutoGrow: { maxSize: "3Gi" } },
      ...{ backup: { enabled: false }, ...more },
    });

  /** Some ten megabytes, and as much WAL. Throws where they were not acknowledged. */
  async function write(): Promise<void> {
    const rows = `select ${acknowledged} + i, repeat('x', 10000) from generate_series(1, 1000) i`;
    await client.ask(`insert into filling ${rows}`);
    acknowledged += 1000;
  }

  async function untilAllThere(): Promise<void> {
    await eventually(async () => {
      // what was acknowledged; and perhaps the rows of one statement more, whose answer was lost
      const [rows = 0, first, last = 0] = (await client.ask("select count(*), min(id), max(id) from filling"))
        .split("|")
        .map(Number);
      assert.ok(rows === acknowledged || rows === acknowledged + 1000, `${rows} of ${acknowledged}`);
      assert.deepEqual([first, last], [1, rows]);
    }, minutes(3));
  }

  /** Until the status says so: claims grow during the run, which it tells of at its end. */
  async function untilGrownBecause(why: RegExp): Promise<void> {
    const reason = ["get", "database", name, "-n", namespace, "-o", "jsonpath={.status.storage.reason}"];
    await eventually(async () => {
      assert.match(await stage.kubectl(...reason), why);
    }, minutes(1));
  }

  test("a volume that clients fill grows before it is full, on all members, and no client notices", async () => {
    do await write();
    while (!(await isGrowing(stage.kubectl, volumes, "1Gi")));
    await untilGrown(stage.kubectl, volumes, "2Gi");
    await untilGrownBecause(/is [89]\d % full/);
    await untilCondition(stage.kubectl, place, { type: "StorageReady", status: "True" }, minutes(2));
    await untilAllThere();
  });

  test("the spec of before is applied again: nothing shrinks, no member restarts, and it is Ready all the time", async () => {
    await reapply(stage.kubectl, volumes, orders({ config: { work_mem: "5MB" } }), "2Gi");
    await untilAllThere();
  });

  test("a volume that is full at once stops its server; it grows without a person, and the server comes back with its rows", async () => {
    const [{ name: primary } = { name: "" }] = await labelledPrimaries(stage.kubectl, place);
    const fill = `fallocate -l $(df --output=avail -B1 ${data} | tail -1) ${data}/pgdata/filler`;
    await stage.kubectl("exec", "-n", namespace, primary, "-c", "postgresql", "--", "bash", "-c", fill);
    const outcome = await (async () => {
      for (let written = 0; written < 20; written++) await write();
      return "all were written";
    })().catch(String);
    assert.match(outcome, /No space left|connection|server|all were written/);
    await untilGrown(stage.kubectl, volumes, "3Gi");
    await untilGrownBecause(new RegExp(`pod ${primary} is (9[5-9]|100) % full`));
    await untilReady(stage.kubectl, place, minutes(4));
    await untilAllThere();
    await client.remove();
  });
}
