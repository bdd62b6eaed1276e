// The Database that is measured: its members, how clients reach it, and when it is complete.
import { z } from "zod";
import { consensusMapName, credentialsSecretName, readWriteServiceName, roles } from "../../components/naming";
import type { KubeClient } from "../../operator/kube/client";
import { item, resources } from "../../operator/kube/paths";
import { database, untilReady } from "../../test/harness/database";
import { eventually, minutes } from "../../test/harness/eventually";
import { readSecret, type Kubectl } from "../../test/harness/kubectl";
import { watchMembers, type Member, type Members } from "./cluster/members";
import type { Evidence, Replication, Session, Target, TestedEngine } from "./engines/engine";
import { limits } from "./load/limits";
import { within } from "./load/within";

/** How many members the measured Databases have where nothing else is asked for. */
export const memberCount = 3;

/** Tables of the measurement, each of two numbers: rows of clients, looks of the watch, and marks that pass through replication. */
export const tables = { looks: "looks", marks: "marks" } as const;

export interface SubjectOptions {
  readonly kubectl: Kubectl;
  readonly client: KubeClient;
  readonly engine: TestedEngine;
  readonly replication: Replication;
  readonly version: string;
  /** Default: three. */
  readonly replicas?: number;
  readonly namespace: string;
  readonly name: string;
}

/** With how many members there are. */
type Chosen = SubjectOptions & { readonly replicas: number };

export interface Subject extends Chosen {
  readonly members: () => readonly Member[];
  /** The read-write Service, with the credentials of applications. */
  readonly service: Target;
  /** The member that alone is labelled as primary. Throws where there is none, or more. */
  primary(): Member;
  /** Asks a member past the Services; the connection ends with it. Default: the time limit of a client's statement. */
  ask(member: Member, statement: string, withinMs?: number): Promise<readonly unknown[][]>;
  /** Changes the spec. */
  apply(spec?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits until all members are ready, have a role, and get what is written. */
  untilWhole(withinMs: number): Promise<void>;
  /** Lets go of it; it stays. */
  close(): Promise<void>;
  /** Deletes the Database and its data. */
  remove(): Promise<void>;
}

/** Creates the Database and waits until it is complete. An operator must run. */
export async function makeSubject(wanted: SubjectOptions): Promise<Subject> {
  const options: Chosen = { ...wanted, replicas: wanted.replicas ?? memberCount };
  const { kubectl, client, engine, namespace, name } = options;
  const apply = async (spec: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    await kubectl.apply(database(name, namespace, specOf(options, spec)));
  };
  await apply();
  const members = await watchMembers(client, namespace, name);
  await untilReady(kubectl, [namespace, name], minutes(6));
  const service = await serviceOf(options);
  const subject: Subject = {
    ...options,
    ...{ members: () => members.all(), service, apply },
    primary: () => primaryOf(members),
    ask: (member, statement, withinMs = limits.statement) =>
      asking(engine, { ...service, host: member.address }, (session) => session.run(statement), withinMs),
    untilWhole: (withinMs) => eventually(() => assertWhole(subject), { withinMs, everyMs: 250 }),
    close: () => members.stop(),
    async remove() {
      await members.stop();
      await kubectl("delete", "database", name, "-n", namespace, "--timeout=180s");
    },
  };
  await eventually(async () => {
    for (const table of Object.values(tables)) await subject.ask(subject.primary(), tableStatement(table));
  }, minutes(1));
  await subject.untilWhole(120_000);
  return subject;
}

function specOf(
  { engine, replication, version, replicas }: Chosen,
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return {
    ...{ engine: engine.name, version, replicas, storage: "2Gi", deletionPolicy: "Delete" },
    // the first backup would read from members while they are measured
    backup: { enabled: false },
    ...engine.specOf(replication),
    ...more,
  };
}

export const tableStatement = (table: string): string =>
  `create table if not exists ${table} (client int not null, number int not null, primary key (client, number))`;

/** The read-write Service of a Database. Names of the cluster mean nothing on this machine, whose route to the Service's address does. */
export async function serviceOf({
  kubectl,
  namespace,
  name,
}: Pick<SubjectOptions, "kubectl" | "namespace" | "name">): Promise<Target> {
  const path = ["-o", "jsonpath={.spec.clusterIP}"];
  const host = await kubectl("get", "service", readWriteServiceName(name), "-n", namespace, ...path);
  const { uri } = z
    .object({ uri: z.string() })
    .parse(await readSecret(kubectl, credentialsSecretName(name), namespace));
  const parsed = new URL(Buffer.from(uri, "base64").toString("utf8"));
  return {
    host: z.ipv4().parse(host.trim()),
    port: Number(parsed.port),
    username: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
    database: parsed.pathname.slice(1),
  };
}

/** Connects, lets `work` use the connection, and ends it: each within that time, as this is no client whose patience is measured. */
async function asking<T>(
  engine: TestedEngine,
  target: Target,
  work: (session: Session) => Promise<T>,
  withinMs: number = limits.statement,
): Promise<T> {
  const session = await engine.connect(target, withinMs);
  try {
    return await within(withinMs, work(session), () => undefined);
  } finally {
    session.destroy();
  }
}

function primaryOf(members: Members): Member {
  const found = members.all().filter(({ role, isEnding }) => role === roles.primary && !isEnding);
  const [primary] = found;
  if (primary === undefined || found.length > 1) throw new Error(`${found.length} members are labelled as primary`);
  return primary;
}

const Annotated = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }) });

function evidenceOf({ client, namespace, name, replicas }: Chosen, primary: Session): Evidence {
  return {
    primary,
    replicas: replicas - 1,
    async annotationsOf(object) {
      const found = await client.get(item(resources.configMaps, namespace, consensusMapName(name, object)));
      return Annotated.parse(found).metadata.annotations;
    },
  };
}

let marks = 0;

/** Throws where something is missing. A row that is written at the primary must arrive at every member. */
async function assertWhole(subject: Subject): Promise<void> {
  const { engine, replication, service, replicas: count } = subject;
  const members = subject.members();
  const primary = subject.primary();
  const replicas = members.filter(({ role }) => role === roles.replica);
  const lame = members.filter(({ isReady, isEnding }) => !isReady || isEnding).map(({ name }) => name);
  if (lame.length > 0) throw new Error(`${lame.join(", ")} are not ready`);
  if (replicas.length !== count - 1) throw new Error(`there are ${replicas.length} replicas`);
  marks += 1;
  const mark = `0, ${marks}`;
  await asking(engine, { ...service, host: primary.address }, async (session) => {
    if (!(await engine.isReplicating(replication, evidenceOf(subject, session))))
      throw new Error(`replication is not ${replication} yet`);
    await session.run(`insert into ${tables.marks} values (${mark})`);
  });
  for (const replica of replicas) {
    const arrived = async (): Promise<void> => {
      const rows = await subject.ask(replica, `select number from ${tables.marks} where number = ${marks}`);
      if (rows.length === 0) throw new Error(`${replica.name} does not get what is written`);
    };
    await eventually(arrived, { withinMs: 3000 });
  }
}
