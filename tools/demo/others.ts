// The chapters of the other engines: the same spec, Secret and Services, and another consensus.
import { isIP } from "node:net";
import { MongoClient } from "mongodb";
import pc from "picocolors";
import { mysql, type DatabasePlace, type Query } from "./client";
import { applyExample, losePrimary, query, untilReady } from "./database";
import type { Session } from "./session";

const namespace = "production";
const catalog: DatabasePlace = { namespace, name: "catalog" };
const events: DatabasePlace = { namespace, name: "events" };

const sql = (statement: string): Query => ({ ...catalog, client: mysql, service: catalog.name, statement });

/** What members get beside those of the other chapters, on a machine with two processors. */
const resources = { requests: { cpu: "100m", memory: "1Gi" }, limits: { memory: "1Gi" } };

/** Three members, of which the primary is lost. */
export async function showMysql(session: Session, version: string): Promise<void> {
  session.chapter("MySQL: three members under Group Replication");
  const remark = "with less CPU and memory, so that all fits onto this machine";
  await applyExample(session, { file: "mysql.yaml", place: catalog, spec: { version, resources }, remark });
  await untilReady(session, catalog);
  await query(session, sql("create table if not exists items (id int auto_increment primary key, name varchar(40))"));
  await query(session, sql("insert into items (name) values ('a lamp'); select count(*), max(name) from items"));
  await losePrimary(session, sql("insert into items (name) values ('after the loss')"));
  await query(session, sql("select name, count(*) from items group by name"));
}

/** One member of FerretDB, asked with MongoDB's own driver. */
export async function showMongodb(session: Session, version: string): Promise<void> {
  session.chapter("MongoDB's protocol, by FerretDB: no mongod is available where the images are built");
  const remark = "with replicas: 1 and no config, which is what FerretDB can do";
  const spec = { version, replicas: 1, config: undefined, resources };
  await applyExample(session, { file: "mongodb.yaml", place: events, spec, remark });
  await untilReady(session, events);
  const client = new MongoClient(await addressOf(session, events), { serverSelectionTimeoutMS: 10_000 });
  try {
    const collection = client.db().collection("clicks");
    session.progress.line(pc.cyan('events> db.clicks.insertOne({ button: "buy" })'));
    await collection.insertOne({ button: "buy" });
    session.progress.line(pc.cyan("events> db.clicks.countDocuments()"));
    session.progress.line(`  ${await collection.countDocuments()}`);
  } finally {
    await client.close();
  }
}

/** The connection string of the credentials Secret, for this machine, which reaches Services by their addresses and knows no names. */
async function addressOf(session: Session, { name }: DatabasePlace): Promise<string> {
  const [secret, address] = await Promise.all([
    session.kubectl(["get", "secret", `${name}-credentials`, "-n", namespace, "-o", "jsonpath={.data.uri}"]),
    session.kubectl(["get", "service", name, "-n", namespace, "-o", "jsonpath={.spec.clusterIP}"]),
  ]);
  if (isIP(address) === 0) throw new Error(`Service ${name} has no address`);
  const uri = /^mongodb:\/\/([^@]+)@[^/]+\/([^?]+)/.exec(Buffer.from(secret, "base64").toString());
  const [, credentials, database] = uri ?? [];
  if (credentials === undefined || database === undefined) throw new Error(`${name}-credentials has no uri`);
  return `mongodb://${credentials}@${address}/${database}?directConnection=true`;
}
