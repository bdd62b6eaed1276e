// The chapters of PostgreSQL: from `kubectl apply` to a deletion, with every command and what it prints.
import { ask, psql, type DatabasePlace, type Query } from "./client";
import { applyExample, losePrimary, query, showTree, untilReady } from "./database";
import type { Session } from "./session";

const production: DatabasePlace = { namespace: "production", name: "my-postgres" };
const development: DatabasePlace = { namespace: "development", name: "development" };

const sql = (statement: string, service = production.name): Query => ({
  ...{ ...production, client: psql, service, statement },
});

/** Creates two Databases and looks at them. */
export async function create(session: Session, version: string): Promise<void> {
  session.chapter("A database from kubectl apply");
  await applyExample(session, { file: "my-postgres.yaml", place: production, spec: { version } });
  await untilReady(session, production);
  await session.show("get", "db", "-A");
  await showTree(session, production);
  session.chapter("A second one, with one replica");
  await applyExample(session, { file: "development.yaml", place: development, spec: { version } });
  await untilReady(session, development);
  await session.show("get", "db", "-A");
}

/** Writes through the read-write Service and reads through the read-only one. */
export async function useSql(session: Session): Promise<void> {
  session.chapter("SQL, with the credentials from Secret my-postgres-credentials");
  await query(session, sql("create table if not exists visits (at timestamptz default now(), who text)"));
  await query(session, sql("insert into visits (who) values ('you') returning who"));
  const read = "select count(*) || ' visits, read from a replica: ' || pg_is_in_recovery() from visits";
  await query(session, sql(read, `${production.name}-ro`));
}

/** The primary's pod goes; the rows stay, and clients continue. */
export async function survive(session: Session): Promise<void> {
  session.chapter("The primary is lost");
  await losePrimary(session, sql("insert into visits (who) values ('after the loss')"));
  await query(session, sql("select who, count(*) from visits group by who order by who desc"));
}

/** Changes config and replicas. */
export async function change(session: Session, withSql: boolean): Promise<void> {
  const { namespace, name } = production;
  session.chapter("Changes");
  const workMem = `${8 + (new Date().getMinutes() % 8)}MB`;
  const patch = `{"spec":{"config":{"work_mem":"${workMem}"},"replicas":2}}`;
  await session.show("patch", "database", name, "-n", namespace, "--type=merge", "-p", patch);
  await untilReady(session, production);
  if (withSql) await eventuallyShows(session, workMem);
  await session.show("scale", "database", name, "-n", namespace, "--replicas=3");
  await untilReady(session, production);
  await session.show("get", "db", "-A", "-o", "wide");
}

/** Members take parameters up within seconds; asked too early they answer with the previous value. */
async function eventuallyShows(session: Session, expected: string): Promise<void> {
  await session.progress.step(`the members apply work_mem = ${expected}`, async () => {
    for (let attempt = 0; attempt < 20; attempt++) {
      if ((await ask(session, sql("show work_mem"))) === expected) return;
    }
    throw new Error(`work_mem is not ${expected}`);
  });
  await query(session, sql("show work_mem"));
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
