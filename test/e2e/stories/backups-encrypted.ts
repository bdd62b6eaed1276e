// PostgreSQL on a real node whose backups go to object storage encrypted: nothing without the passphrase, nothing in clear, nothing with another one.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { backupsIn, databaseBackup, readBackup, untilPhase } from "../../harness/backups";
import { builtVersion, type BuiltVersion } from "../../harness/built-versions";
import { labelledPrimaries, messageOf, readDatabase, untilCondition, untilReady } from "../../harness/database";
import { eventually, minutes } from "../../harness/eventually";
import { ObjectStorage } from "../../harness/object-storage";
import { PostgresqlClient } from "../../harness/real-postgresql";
import { rotating } from "../../runner/rotating";
import type { Stage } from "../stage";
import { modestDatabase, story } from "../story";

const namespace = "backups-encrypted";
const name = "sealed";
const place = [namespace, name] as const;
const secret = "sealed-passphrase";
const row = "a-row-that-nobody-else-may-read";
/** What every frame of zstd begins with. */
const compressed = Buffer.from("28b52ffd", "hex");

/** Has pgBackRest read everything that is there, with the passphrase on its input. */
const verifying = `
export PGBACKREST_REPO1_S3_KEY=$(cat /etc/database-backup/credentials/accessKeyId)
export PGBACKREST_REPO1_S3_KEY_SECRET=$(cat /etc/database-backup/credentials/secretAccessKey)
export PGBACKREST_REPO1_CIPHER_PASS="$1"
cluster=$(od -An -tu8 -N8 /var/lib/postgresql/data/pgdata/global/pg_control | tr -d ' ')
pgbackrest --config=/etc/database-backup/repository/pgbackrest.conf --stanza=$cluster --output=text --verbose verify 2>&1 | tr -cd '\\n -~'
`;

export const encryptedBackups = story(namespace, (stage) => {
  rotating(
    "backups-encrypted",
    () => {
      tell(stage);
    },
    4,
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

  const directory = (): string => storage.pathOf(join("tests", namespace, name));
  const files = (): string[] =>
    globSync("**", { cwd: directory(), withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    );

  const verify = async (passphrase: string): Promise<string> => {
    const [primary] = await labelledPrimaries(stage.kubectl, place);
    assert.ok(primary, "there is no primary");
    const inMember = ["exec", "-n", namespace, primary.name, "-c", "postgresql", "--"];
    return stage.kubectl(...inMember, "bash", "-c", verifying, "verifying", passphrase);
  };

  const says = async (type: string): Promise<string> =>
    messageOf(await readDatabase(stage.kubectl, name, namespace), type);

  test("without its passphrase a Database runs, sends nothing, and says what is missing", async () => {
    const backup = {
      ...{ destination: storage.destination, pointInTime: { everySeconds: 10 } },
      encryption: { secret: { name: secret } },
    };
    const of = { version: built.version, replicas: 1, storage: "2Gi", backup };
    await stage.kubectl.apply(modestDatabase(name, namespace, of));
    await untilReady(stage.kubectl, place, minutes(5));
    await eventually(async () => {
      assert.match(
        await says("BackupReady"),
        /the Secret for the encryption of the object storage has no key passphrase/,
      );
      assert.match(await says("ArchiveReady"), /the Secret of spec\.backup\.encryption must have it/);
    }, minutes(3));
    assert.equal(existsSync(directory()), false);
  });

  test("what it sends with one is whole, and nobody reads it without", async () => {
    await client.ask(`create table t as select '${row}' as x from generate_series(1, 1000)`);
    await storage.replacePassphrase(secret, "the right one\n");
    await untilCondition(stage.kubectl, place, { type: "BackupReady", status: "True" }, minutes(5));
    await untilCondition(stage.kubectl, place, { type: "ArchiveReady", status: "True" }, minutes(3));
    await stage.kubectl.apply(databaseBackup("second", namespace, { database: name }));
    await untilPhase(stage.kubectl, [namespace, "second"], "Succeeded");
    assert.match(await verify("the right one"), /status: ok/);
    assert.doesNotMatch(await verify("another one"), /status: ok/);
    const sent = files();
    assert.ok(sent.length > 5, sent.join());
    for (const file of sent) {
      const bytes = readFileSync(file);
      // neither as it is nor as the compression would have it
      for (const text of [Buffer.from(row), compressed]) assert.equal(bytes.includes(text), false, file);
    }
  });

  test("another passphrase than before is named, and the former one counts again", async () => {
    const before = files();
    await storage.replacePassphrase(secret, "another one");
    await stage.kubectl.apply(databaseBackup("third", namespace, { database: name }));
    await eventually(async () => {
      const { status } = await readBackup(stage.kubectl, namespace, "third");
      assert.match(status.message ?? "", /does not fit spec\.backup\.encryption/);
    }, minutes(3));
    const labels = (all: readonly string[]): string[] => all.filter((file) => file.endsWith("backup.manifest"));
    assert.deepEqual(labels(files()), labels(before));
    await storage.replacePassphrase(secret, "the right one");
    await untilPhase(stage.kubectl, [namespace, "third"], "Succeeded");
    await untilCondition(stage.kubectl, place, { type: "ArchiveReady", status: "True" }, minutes(3));
  });

  test("a complete backup that is damaged where it lies is replaced at once, and says so", async () => {
    const { label = "", base = "" } = (await readBackup(stage.kubectl, namespace, "third")).status;
    assert.ok(label.startsWith(`${base}_`), label);
    damage(files().filter((file) => file.includes(`/${base}/bundle/`)));
    await stage.kubectl.apply(databaseBackup("fourth", namespace, { database: name }));
    const fourth = await untilPhase(stage.kubectl, [namespace, "fourth"], "Succeeded");
    assert.equal(fourth.base, undefined);
    await eventually(async () => {
      const found = await backupsIn(stage.kubectl, namespace);
      const damaged = found.filter(({ status }) => /is damaged where it lies/.test(status.message ?? ""));
      assert.ok(damaged.length >= 3 && damaged.every(({ status }) => status.phase === "Failed"));
      assert.ok(damaged.some(({ status }) => status.label === base));
    }, minutes(1));
    await stage.kubectl.apply(databaseBackup("fifth", namespace, { database: name }));
    assert.equal((await untilPhase(stage.kubectl, [namespace, "fifth"], "Succeeded")).base, fourth.label);
  });
}

/** Turns over a byte in the middle of each. */
function damage(paths: readonly string[]): void {
  assert.ok(paths.length > 0);
  for (const path of paths) {
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    bytes.writeUInt8(255 - bytes.readUInt8(middle), middle);
    writeFileSync(path, bytes);
  }
}
