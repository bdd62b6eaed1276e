// The demo's second half: what a person does with databases, with every command and what it prints.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pc from "picocolors";
import { parse } from "yaml";
import { z } from "zod";
import { projectRoot } from "../platform/platform";
import { TreeObject, treeLines } from "./children";
import type { Session } from "./session";
import { sql } from "./sql";

const production = { namespace: "production", name: "my-postgres" };
const development = { namespace: "development", name: "development" };
type Place = typeof production;

const Example = z.looseObject({ metadata: z.looseObject({}), spec: z.looseObject({ version: z.string() }) });
const kinds =
  "statefulsets,pods,services,secrets,configmaps,pvc,serviceaccounts,roles,rolebindings,jobs,cronjobs,pdb,networkpolicies";

/** Applies an example with the version that the catalogue has, in a namespace that is made where it is missing. */
export async function applyExample(session: Session, file: string, place: Place, version: string): Promise<void> {
  const example = Example.parse(parse(await readFile(join(projectRoot, "examples", file), "utf8")));
  const object = {
    ...example,
    metadata: { ...example.metadata, namespace: place.namespace },
    spec: { ...example.spec, version },
  };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: place.namespace } };
  await session.kubectl(["apply", "-f", "-"], JSON.stringify(namespace));
  session.progress.line(pc.cyan(`$ kubectl apply -n ${place.namespace} -f examples/${file}`));
  session.progress.line(`  ${(await session.kubectl(["apply", "-f", "-"], JSON.stringify(object))).trim()}`);
}

/** Waits until the Database is Ready at its present generation. */
export async function untilReady(session: Session, { namespace, name }: Place): Promise<void> {
  await session.progress.step(`${name} is being carried out`, async () => {
    const wait = (condition: string): Promise<string> =>
      session.kubectl(["wait", "database", name, "-n", namespace, `--for=condition=${condition}`, "--timeout=600s"]);
    await generationSeen(session, { namespace, name });
    await wait("Reconciling=false");
    await wait("Ready");
  });
}

async function generationSeen(session: Session, { namespace, name }: Place): Promise<void> {
  const generation = await session.kubectl([
    "get",
    "database",
    name,
    "-n",
    namespace,
    "-o",
    "jsonpath={.metadata.generation}",
  ]);
  const condition = `jsonpath={.status.observedGeneration}=${generation}`;
  await session.kubectl(["wait", "database", name, "-n", namespace, `--for=${condition}`, "--timeout=60s"]);
}

async function showTree(session: Session, { namespace, name }: Place): Promise<void> {
  const selector = `app=database,database=${name}`;
  const listed = z.object({ items: z.array(TreeObject) });
  const text = await session.kubectl(["get", kinds, "-n", namespace, "-l", selector, "-o", "json"]);
  const uid = await session.kubectl(["get", "database", name, "-n", namespace, "-o", "jsonpath={.metadata.uid}"]);
  const lines = treeLines({ title: `Database ${name}`, uid }, listed.parse(JSON.parse(text)).items);
  for (const line of lines) session.progress.line(`  ${line}`);
}

async function query(session: Session, place: Place, service: string, statement: string): Promise<void> {
  session.progress.line(pc.cyan(`${service}=> ${statement}`));
  const answer = await sql(session, { namespace: place.namespace, database: place.name, service, sql: statement });
  for (const line of answer.split("\n")) session.progress.line(`  ${line}`);
}

/** Creates both Databases and looks at them. */
export async function create(session: Session, version: string): Promise<void> {
  session.chapter("A database from kubectl apply");
  await applyExample(session, "my-postgres.yaml", production, version);
  await untilReady(session, production);
  await session.show("get", "db", "-A");
  await showTree(session, production);
  session.chapter("A second one, with one replica");
  await applyExample(session, "development.yaml", development, version);
  await untilReady(session, development);
  await session.show("get", "db", "-A");
}

/** Writes through the read-write Service and reads through the read-only one. */
export async function useSql(session: Session): Promise<void> {
  session.chapter("SQL, with the credentials from Secret my-postgres-credentials");
  const write =
    "create table if not exists visits (at timestamptz default now(), who text); insert into visits (who) values ('you') returning who";
  await query(session, production, "my-postgres", write);
  await query(
    session,
    production,
    "my-postgres-ro",
    "select count(*) || ' visits, read from a replica: ' || pg_is_in_recovery() from visits",
  );
}

/** Changes config and replicas. */
export async function change(session: Session, withSql: boolean): Promise<void> {
  const { namespace, name } = production;
  session.chapter("Changes");
  const workMem = `${8 + (new Date().getMinutes() % 8)}MB`;
  await session.show(
    "patch",
    "database",
    name,
    "-n",
    namespace,
    "--type=merge",
    "-p",
    `{"spec":{"config":{"work_mem":"${workMem}"},"replicas":2}}`,
  );
  await untilReady(session, production);
  if (withSql) await eventuallyShows(session, workMem);
  await session.show("scale", "database", name, "-n", namespace, "--replicas=3");
  await untilReady(session, production);
  await session.show("get", "db", "-A", "-o", "wide");
}

/** Members take parameters up within seconds; asked too early they answer with the former value. */
async function eventuallyShows(session: Session, expected: string): Promise<void> {
  await session.progress.step(`the members take work_mem = ${expected} up`, async () => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const place = { namespace: production.namespace, database: production.name, service: production.name };
      if ((await sql(session, { ...place, sql: "show work_mem" })) === expected) return;
    }
    throw new Error(`work_mem is not ${expected}`);
  });
  await query(session, production, production.name, "show work_mem");
}

/** Takes a backup now instead of at night, and lists what is kept. */
export async function backUp(session: Session): Promise<void> {
  const { namespace, name } = production;
  const job = `${name}-backup-${Date.now().toString(36)}`;
  session.chapter("A backup, now instead of at night");
  await session.show("create", "job", job, "-n", namespace, `--from=cronjob/${name}-backup`);
  await session.progress.step("backup", () =>
    session.kubectl(["wait", "job", job, "-n", namespace, "--for=condition=Complete", "--timeout=300s"]),
  );
  await session.show("logs", `job/${job}`, "-n", namespace, "--tail=4");
}

/** Deletes the second Database. */
export async function remove(session: Session): Promise<void> {
  const { namespace, name } = development;
  session.chapter("Deletion (examples/development.yaml says deletionPolicy: Delete, so its data goes too)");
  await session.show("delete", "database", name, "-n", namespace, "--timeout=180s");
  await session.show("get", "all,pvc,secret", "-n", namespace);
  await session.show("get", "db", "-A");
}
