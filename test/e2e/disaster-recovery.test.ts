// The loss of a cluster with all that it has, and what docs/platform/disaster-recovery.md says to do then, command by command: two real clusters, one
// after the other, and object storage that outlives the first.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test, { after, before, suite, type TestContext } from "node:test";
import { stringify } from "yaml";
import { builtVersion } from "../harness/built-versions";
import { labelledPrimaries, untilBackedUp, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { readSecret, type Kubectl } from "../harness/kubectl";
import { ObjectStorage } from "../harness/object-storage";
import { PageCommands } from "../harness/page-commands";
import { askPostgresqlMember, PostgresqlClient } from "../harness/real-postgresql";
import { RowWriter } from "../harness/row-writer";
import { rotating } from "../runner/rotating";
import { Stage } from "./stage";
import { modestDatabase } from "./story";

const page = "docs/platform/disaster-recovery.md";
const chapter = "## The cluster is gone, a bucket is left";
const namespace = "disaster-recovery";
const everySeconds = 10;
/** How long a segment may be on its way, on a busy machine. */
const onItsWayMs = 20_000;
const passphrase = "known outside of the cluster";

/** Where each Database lies in the bucket. */
const places = { orders: `tests/${namespace}/orders`, stock: `${namespace}/stock` } as const;

/** The server's clock, in RFC 3339. */
const clock = `select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

rotating("disaster-recovery", () => suite("disaster recovery", { concurrency: 1 }, tell), 6);

function tell(): void {
  const first = new Stage({});
  const second = new Stage({});
  let storage: ObjectStorage;
  /** What a person has outside of the cluster: manifests, and files with the values of Secrets. */
  let kept: string;
  let writer: RowWriter;
  /** When there was one row. */
  let moment = "";
  /** Of the first cluster. */
  let former: { readonly passwords: readonly string[]; readonly cluster: string; readonly digest: string };
  let commands: PageCommands;

  before(async () => {
    await first.enter(namespace);
    storage = await ObjectStorage.start(first.kubectl, namespace);
    await storage.replacePassphrase("orders-passphrase", passphrase);
    kept = await mkdtemp(join(tmpdir(), "disaster-recovery-"));
    await keep();
  });
  after(async () => {
    const ends = [
      () => first.close(),
      () => leave().finally(() => second.close()),
      () => storage.stop(),
      () => rm(kept, { recursive: true, force: true }),
    ];
    // whatever of it fails, the rest must end as well
    const ended = await Promise.allSettled(ends.map(async (end) => end()));
    const failures = ended.flatMap((one): unknown[] => (one.status === "rejected" ? [one.reason] : []));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join("\n"));
  });

  const leave = (): Promise<void> => (second.isOpen ? second.leave(namespace) : Promise.resolve());

  async function keep(): Promise<void> {
    const { version } = builtVersion(first.platform, "postgresql");
    const of = (name: string, backup: object): unknown =>
      modestDatabase(name, namespace, {
        ...{ version, replicas: 1, storage: "2Gi" },
        backup: { destination: storage.destination, pointInTime: { everySeconds }, ...backup },
      });
    const files = {
      ...{ ...storage.keys, "ca.crt": await storage.authority(), passphrase },
      "databases/orders.yaml": of("orders", { encryption: { secret: { name: "orders-passphrase" } } }),
      "databases/stock.yaml": of("stock", { destination: { s3: { ...storage.destination.s3, prefix: undefined } } }),
    };
    await mkdir(join(kept, "databases"));
    for (const [name, content] of Object.entries(files))
      await writeFile(join(kept, name), typeof content === "string" ? content : stringify(content));
  }

  const clientOf = (stage: Stage, name: string): PostgresqlClient => {
    const { image } = builtVersion(stage.platform, "postgresql");
    return new PostgresqlClient(stage.kubectl, { namespace, database: name, image });
  };

  const placesOf = (cluster: string): string[] => [
    `${places.orders}/archive/${cluster}`,
    `${places.orders}/backup/${cluster}`,
  ];
  const clusters = (): Promise<string[]> => readdir(storage.pathOf(`${places.orders}/backup`));

  /** Those of a cluster that have arrived, the last one at the end. */
  async function segmentsOf(cluster: string, place: string = places.orders): Promise<readonly Segment[]> {
    const directory = storage.pathOf(`${place}/archive/${cluster}`);
    const found = (await readdir(directory, { recursive: true })).flatMap((path) => {
      const [, name] = /^([0-9A-F]{24})-/.exec(basename(path)) ?? [];
      return name === undefined ? [] : [{ name, path: join(directory, path) }];
    });
    const segments = found.map(async ({ name, path }) => ({ name, arrivedAt: (await stat(path)).mtimeMs }));
    return (await Promise.all(segments)).sort((one, other) => one.name.localeCompare(other.name));
  }

  /** Waits until the segment in which the Database writes now has arrived. */
  async function untilArrived(name: string, place: string): Promise<void> {
    const [primary] = await labelledPrimaries(first.kubectl, [namespace, name]);
    assert.ok(primary, "there is no primary");
    const present = "select pg_walfile_name(pg_current_wal_insert_lsn())";
    const segment = await askPostgresqlMember(first.kubectl, namespace, primary.name, present);
    await eventually(async () => {
      const [cluster = ""] = await readdir(storage.pathOf(`${place}/archive`));
      const last = (await segmentsOf(cluster, place)).at(-1)?.name ?? "";
      assert.ok(last >= segment, `${last} is the last one`);
    }, minutes(2));
  }

  test("Databases are backed up in a bucket, encrypted or not", async () => {
    await first.kubectl("apply", "-f", join(kept, "databases"));
    for (const name of ["orders", "stock"]) {
      await untilReady(first.kubectl, [namespace, name], minutes(4));
      await untilBackedUp(first.kubectl, [namespace, name], minutes(3));
    }
  });

  test("what is written arrives there while it is written", async () => {
    const stock = clientOf(first, "stock");
    await stock.ask("create table items (id int primary key); insert into items values (7)");
    const orders = clientOf(first, "orders");
    writer = await RowWriter.create(orders);
    await writer.write();
    moment = await orders.ask(clock);
    // the next row is later by any clock
    await orders.ask("select pg_sleep(1)");
    writer.begin();
    await untilArrived("stock", places.stock);
    await untilArrived("orders", places.orders);
  });

  test("the cluster is killed while rows are written, with all that it has, and the bucket is left", async () => {
    assert.equal(writer.failure, undefined);
    const { directory } = first.platform.cluster;
    const passwords = await passwordsOf(first.kubectl);
    const [cluster = "", ...others] = await clusters();
    assert.deepEqual(others, []);
    const written = writer.acknowledged.length;
    await eventually(() => {
      assert.ok(writer.acknowledged.length > written + 5);
    });
    await first.lose();
    assert.equal(existsSync(directory), false);
    await eventually(() => {
      assert.notEqual(writer.failure, undefined);
    }, minutes(1));
    former = { passwords, cluster, digest: await storage.digestOf(...placesOf(cluster)) };
  });

  test("a new cluster with the platform, and Secrets as they were, shows what the bucket has", async () => {
    await second.open();
    const { image } = builtVersion(second.platform, "postgresql");
    const values = {
      ...{ NS: namespace, IMAGE: image, BUCKET: storage.bucket, PLACE: "/", ENDPOINT: storage.endpoint },
      ...{ REGION: "us-east-1", STYLE: "path" },
    };
    const { environment } = second.platform;
    commands = await PageCommands.open(page, chapter, { environment, directory: kept, values });
    await commands.run("kubectl create namespace");
    await second.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    await storage.reachFrom(second.kubectl);
    const last = Math.max(...(await segmentsOf(former.cluster)).map(({ arrivedAt }) => arrivedAt));
    const [stock, orders, ...others] = (await shown()).sort((one, other) => one.prefix.localeCompare(other.prefix));
    assert.deepEqual(others, []);
    assert.equal(stock?.prefix, places.stock);
    assert.deepEqual([orders?.prefix, orders?.cluster], [places.orders, former.cluster]);
    assert.ok([stock, orders].every((row) => Number(row?.backups) > 0));
    assert.equal(Date.parse(orders?.last ?? ""), Math.floor(last / 1_000) * 1_000);
  });

  test("the manifests with one field more bring the Databases back, with every row that had arrived", async (t: TestContext) => {
    await commands.run("mkdir -p restore");
    const told = await commands.run("kubectl apply -f restore");
    for (const place of Object.values(places)) assert.match(told, new RegExp(`s3://backups/${place}$`, "m"));
    assert.equal(await clientOf(second, "stock").ask("select id from items"), "7");
    const [count, highest] = (await clientOf(second, "orders").ask("select count(*), max(id) from items")).split("|");
    assert.equal(count, highest, "no row is missing between others");
    await judgeLoss(Number(count), t);
  });

  /**
   * Whether exactly what was in segments that had arrived is there. The commit of the last row in them may be in the next one, and the word
   * of one that is there may have been on its way to the client.
   */
  async function judgeLoss(there: number, t: TestContext): Promise<void> {
    const segments = await segmentsOf(former.cluster);
    const last = segments.at(-1)?.name ?? "";
    const { acknowledged } = writer;
    const arrived = acknowledged.filter(({ segment }) => segment <= last).length;
    assert.ok(arrived > 1);
    const most = arrived === acknowledged.length ? arrived + 1 : arrived;
    assert.ok(there >= arrived - 1 && there <= most, `${there} rows are there, and ${arrived} had arrived`);
    const end = acknowledged.at(-1)?.at ?? 0;
    const age = end - (acknowledged[there]?.at ?? end);
    assert.ok(age <= everySeconds * 1_000 + onItsWayMs, `a row that was lost was ${age} ms old`);
    const ways = segments.flatMap(({ name, arrivedAt }) => {
      const oldest = acknowledged.find(({ segment }) => segment === name);
      return oldest === undefined ? [] : [arrivedAt - oldest.at];
    });
    t.diagnostic(
      `${there} of ${acknowledged.length} rows are there; the oldest of the lost was acknowledged ${age} ms before the last one; segments arrived ${Math.max(...ways)} ms after their first row at most`,
    );
  }

  test("what came back has passwords of its own, and is backed up beside the former cluster, which stays byte for byte", async () => {
    const passwords = await passwordsOf(second.kubectl);
    assert.deepEqual(
      passwords.filter((password) => former.passwords.includes(password)),
      [],
    );
    await untilBackedUp(second.kubectl, [namespace, "orders"], minutes(4));
    const [pod] = await labelledPrimaries(second.kubectl, [namespace, "orders"]);
    await commands.run("kubectl apply -f databases");
    const { spec } = await untilReady(second.kubectl, [namespace, "orders"], minutes(1));
    assert.equal(spec["restore"], undefined);
    assert.deepEqual(await labelledPrimaries(second.kubectl, [namespace, "orders"]), [pod]);
    assert.equal((await clusters()).length, 2);
    assert.equal(await storage.digestOf(...placesOf(former.cluster)), former.digest);
  });

  test("the former cluster is restored once more, to a moment before the loss, beside what came back", async () => {
    const own = (await shown()).filter(({ prefix }) => prefix === places.orders);
    assert.deepEqual(own.map(({ cluster }) => cluster).sort(), (await clusters()).sort());
    await commands.run("pointInTime", { CLUSTER: former.cluster, MOMENT: moment });
    await untilReady(second.kubectl, [namespace, "orders-before"], minutes(4));
    assert.equal(await clientOf(second, "orders-before").ask("select id from items"), "1");
  });

  test("its backups go beside those of the others, and the former cluster is still as it was", async () => {
    // a member that is copied when it is deleted takes its time to end
    await untilBackedUp(second.kubectl, [namespace, "orders-before"], minutes(4));
    assert.equal(await storage.digestOf(...placesOf(former.cluster)), former.digest);
  });

  /** The table that the page's command prints. */
  async function shown(): Promise<{ prefix: string; cluster: string; backups: string; last: string }[]> {
    const [, ...rows] = tableIn(await commands.run("repo-ls"));
    return rows.map(([prefix = "", cluster = "", backups = "", , last = ""]) => ({ prefix, cluster, backups, last }));
  }
}

/** A segment of WAL in the bucket. */
interface Segment {
  readonly name: string;
  /** In milliseconds since 1970. */
  readonly arrivedAt: number;
}

/** From the line of headings on, as far as lines have prefixes: kubectl says what it deleted behind them. */
function tableIn(printed: string): string[][] {
  const lines = printed.split("\n").map((line) => line.split(/ +/));
  const begin = lines.findIndex(([first]) => first === "PREFIX");
  assert.ok(begin >= 0, printed);
  return lines.slice(begin).filter(([first = ""], index) => index === 0 || first.includes("/"));
}

/** Of the application, members and Jobs. */
async function passwordsOf(kubectl: Kubectl): Promise<readonly string[]> {
  const { password = "" } = await readSecret(kubectl, "orders-credentials", namespace);
  return [password, ...Object.values(await readSecret(kubectl, "orders-system", namespace))];
}
