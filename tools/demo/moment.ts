// The chapter of a mistake that is undone: backups in object storage, and a new Database as the old one was a moment ago.
import { randomUUID } from "node:crypto";
import pc from "picocolors";
import { stringify } from "yaml";
import { pause } from "../host/wait";
import { ask, psql, type DatabasePlace, type Query } from "./client";
import { applyExample, query, untilReady } from "./database";
import { provideObjectStorage } from "./object-storage";
import type { Session } from "./session";

const namespace = "production";
const archived: DatabasePlace = { namespace, name: "archived" };
const restored: DatabasePlace = { namespace, name: "archived-before" };
const passphrase = "archived-passphrase";

const sql = ({ name }: DatabasePlace, statement: string): Query => ({
  ...{ namespace, name, client: psql, service: name, statement },
});

/** What members get beside those of the other chapters, on a machine with two processors. */
const resources = { requests: { cpu: "100m", memory: "512Mi" }, limits: { memory: "512Mi" } };

/** Commits twice, and restores what was between. */
export async function goBack(session: Session, version: string): Promise<void> {
  session.chapter("A mistake, and a new database as it was before: backups and WAL in object storage, encrypted");
  await createArchived(session, version);
  await query(session, sql(archived, "create table if not exists ledger (entry text)"));
  await query(session, sql(archived, "insert into ledger values ('paid in') returning entry"));
  const moment = await ask(session, sql(archived, momentOfServer));
  await query(session, sql(archived, "delete from ledger"));
  await untilStored(session);
  await restoreTo(session, moment, version);
  await query(session, sql(restored, "select entry from ledger"));
  // a node of two processors has no room for them beside those of the next chapters
  await session.show("delete", "db", restored.name, archived.name, "-n", namespace, "--timeout=180s");
}

const momentOfServer = `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

async function createArchived(session: Session, version: string): Promise<void> {
  const destination = await provideObjectStorage(session, namespace);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: passphrase, namespace } };
  // one that is there stays: without it nothing of the bucket can be read
  const create = ["create", "-f", "-"];
  await session
    .kubectl(["get", "secret", passphrase, "-n", namespace])
    .catch(() => session.kubectl(create, JSON.stringify({ ...secret, stringData: { passphrase: randomUUID() } })));
  const backup = { destination, pointInTime: { everySeconds: 10 }, encryption: { secret: { name: passphrase } } };
  const remark = "with one member, and a bucket on this machine";
  const spec = { version, replicas: 1, resources, backup, deletionPolicy: "Delete" };
  await applyExample(session, { file: "object-storage.yaml", place: archived, spec, remark });
  await untilReady(session, archived);
  await session.progress.step("the first backup", () => untilBackedUp(session));
  await session.show("get", "dbb", "-n", namespace);
}

function untilBackedUp(session: Session): Promise<string> {
  const { name } = archived;
  return session.kubectl(["wait", "db", name, "-n", namespace, "--for=condition=BackupReady", "--timeout=300s"]);
}

/** Until what is committed now is in the bucket. */
async function untilStored(session: Session): Promise<void> {
  await session.progress.step("the last change arrives in the bucket", async () => {
    const segment = await ask(session, sql(archived, "select pg_walfile_name(pg_current_wal_lsn())"));
    const isThere = sql(archived, `select last_archived_wal >= '${segment}' from pg_stat_archiver`);
    const deadline = performance.now() + 120_000;
    while ((await ask(session, isThere)) !== "t") {
      if (performance.now() > deadline) throw new Error(`WAL ${segment} is not in the bucket after two minutes`);
      await pause(500);
    }
  });
}

async function restoreTo(session: Session, pointInTime: string, version: string): Promise<void> {
  const { name } = restored;
  // of an earlier demo
  await session.kubectl(["delete", "db", name, "-n", namespace, "--ignore-not-found", "--timeout=180s"]);
  const restore = { from: { name: archived.name }, pointInTime };
  const spec = { engine: "postgresql", version, replicas: 1, resources, restore, deletionPolicy: "Delete" };
  const database = { apiVersion: "example.com/v1", kind: "Database", metadata: { name, namespace }, spec };
  session.progress.line(pc.cyan("$ kubectl apply -f - <<END"));
  for (const line of stringify(database).trimEnd().split("\n")) session.progress.line(pc.cyan(`  ${line}`));
  session.progress.line(pc.cyan("END"));
  session.progress.line(`  ${(await session.kubectl(["apply", "-f", "-"], JSON.stringify(database))).trim()}`);
  await untilReady(session, restored);
  await session.show("get", "db", name, "-n", namespace, "-o", "jsonpath={.status.restoredFrom}");
}
