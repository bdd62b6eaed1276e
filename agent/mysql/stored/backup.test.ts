// The Job of a backup, but for the members and the servers.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { MemoryBucket } from "../../../test/fakes/bucket";
import { sealerFor } from "../../object-storage/sealing";
import { backUpTo, type Members } from "./backup";
import { labelsIn } from "./catalogue";
import { entryOf } from "./layout";
import { prune } from "./removal";

const environment = process.env;
const former = "ledger-20261120T020003Z";
const position = {
  ...{ host: "ledger-1", group: "g", server: "9.7.4", transactions: "u:1-3", behind: 0, databases: 1 },
  ...{ bytes: 1000, redo: 1000, settings: {} },
};

let staging = "";
let bucket = new MemoryBucket();

beforeEach(async () => {
  staging = await mkdtemp(join(tmpdir(), "staging-"));
  bucket = new MemoryBucket();
  process.env = {
    ...environment,
    ...{ STAGING_DIRECTORY: staging, BACKUP_RETENTION: "1", DATABASE_NAME: "ledger", BACKUP_KEPT: "" },
    ...{ SERVER_PORT: "3306", REPLICATION_PASSWORD: "private" },
  };
});
afterEach(async () => {
  process.env = environment;
  await rm(staging, { recursive: true });
});

/** Members that are copied as it says. */
const members = (some: Partial<Members> = {}): Members => ({
  choose: () => Promise.resolve(position),
  async copyTo(to, { makeRoom }) {
    await makeRoom();
    await mkdir(to);
    await writeFile(join(to, "ibdata1"), "rows");
  },
  time: () => Promise.resolve(new Date("2026-11-21T02:00:09Z")),
  ...some,
});

const backUp = (some: Partial<Members> = {}, passphrase?: string): Promise<void> =>
  backUpTo({ bucket, sealer: sealerFor(passphrase) }, members(some));

/** What is left on the volume, its lock apart. */
const left = async (): Promise<string[]> => (await readdir(staging)).filter((name) => name !== ".lock");

test("one is taken, the oldest goes, and nothing is left on the volume, also of an attempt that was killed", async () => {
  await mkdir(join(staging, `.partial-${former}`));
  bucket.objects.set(entryOf({ group: "g", label: former }), Buffer.from("{}"));
  await backUp();
  const [label = "", other] = await labelsIn({ bucket }, "g");
  assert.match(label, /^ledger-\d{8}T\d{6}Z$/);
  assert.notEqual(label, former);
  assert.equal(other, undefined);
  assert.deepEqual(await left(), []);
});

test("where the copy fails nothing is sent, nothing goes, and nothing is left", async () => {
  bucket.objects.set(entryOf({ group: "g", label: former }), Buffer.from("{}"));
  const full = Object.assign(new Error("no space"), { errno: 3873 });
  await assert.rejects(
    backUp({
      async copyTo(to) {
        await mkdir(to);
        throw full;
      },
    }),
    /the copy has no room on the volume that it is made on.*raise spec\.storage \(no space\)/,
  );
  assert.deepEqual(bucket.names(), [entryOf({ group: "g", label: former })]);
  assert.deepEqual(await left(), []);
});

test("a member that is larger than the room on the volume is not copied", async () => {
  await assert.rejects(
    backUp({ choose: () => Promise.resolve({ ...position, bytes: 1e15 }) }),
    /it needs \d+ MiB, and/,
  );
  assert.deepEqual(bucket.names(), []);
});

test("with another passphrase than that of what is there no member is copied", async () => {
  await backUp({}, "passphrase");
  const names = bucket.names();
  const copyTo = (): Promise<void> => Promise.reject(new Error("it was copied"));
  await assert.rejects(backUp({ copyTo }, "another"), /does not fit spec\.backup\.encryption/);
  await assert.rejects(backUp({ copyTo }), /does not fit/);
  assert.deepEqual(bucket.names(), names);
});

test("where it is not known which backups are kept none goes", async () => {
  delete process.env["BACKUP_KEPT"];
  bucket.objects.set(entryOf({ group: "g", label: former }), Buffer.from("{}"));
  await backUp();
  assert.equal((await labelsIn({ bucket }, "g")).length, 2);
});

test("a backup that is complete counts where those before it cannot be removed, and the next one removes them", async () => {
  bucket.objects.set(entryOf({ group: "g", label: former }), Buffer.from("{}"));
  bucket.before = (request) => {
    if (request.startsWith("delete")) throw new Error("the account may not do that");
  };
  await backUp();
  assert.equal((await labelsIn({ bucket }, "g")).length, 2);
  bucket.before = () => undefined;
  await prune(bucket, "g", { newest: (await labelsIn({ bucket }, "g"))[1] ?? "", retention: 1, kept: new Set() });
  assert.equal((await labelsIn({ bucket }, "g")).length, 1);
});
