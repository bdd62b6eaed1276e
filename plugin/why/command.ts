// `why`: what led to how a Database, or one of its members, is now.
import { memberSelector } from "../../components/naming";
import { ofDatabase } from "../cluster/of-database";
import { databaseIfAny, listedIfAllowed, noSuch } from "../cluster/read";
import { kinds } from "../cluster/paths";
import { selectorOf } from "../cluster/selector";
import type { Asked } from "../command/asked";
import type { ExitCode } from "../command/verb";
import type { Cluster, World } from "../command/world";
import type { DatabaseRevision } from "../../operator/api/revisions/object";
import { backupIn } from "../objects/backup";
import { databaseIn, stateOf, unwell, type SeenDatabase } from "../objects/database";
import { eventIn, type SeenEvent } from "../objects/event";
import { memberIn, type SeenMember } from "../objects/member";
import { revisionsOf } from "../objects/revision";
import { print } from "../output/print";
import { startOf } from "./cause";
import { incidentsOf } from "./incidents";
import { recordedChain, recordedIncidents } from "./recorded";
import { isAbout } from "./related";
import { explanationLines, type Explanation } from "./text";

/** How many lines a person reads. */
const most = 15;

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const namespace = asked.namespace ?? cluster.namespace;
  const { database, member } = await subjectOf(cluster, namespace, asked.name ?? "");
  const explanation = explained(database, member, await besides(cluster, database));
  await print(asked, world, {
    document: explanation,
    names: [],
    lines: (view) => explanationLines(explanation, { ...view, most: asked.all ? undefined : most }),
  });
  return 0;
}

interface Subject {
  readonly database: SeenDatabase;
  /** The member that is asked about; undefined: all. */
  readonly member: string | undefined;
}

/** A Database of the name; else the one that has a member of the name. */
async function subjectOf(cluster: Cluster, namespace: string, name: string): Promise<Subject> {
  const database = databaseIn(await databaseIfAny(cluster, namespace, name));
  if (database !== undefined) return { database, member: undefined };
  const [, owner] = /^(.+)-\d$/.exec(name) ?? [];
  const its = owner === undefined ? undefined : databaseIn(await databaseIfAny(cluster, namespace, owner));
  if (its === undefined) throw await noSuch(cluster, namespace, owner ?? name);
  return { database: its, member: name };
}

export interface Besides {
  readonly members: readonly SeenMember[];
  readonly events: readonly SeenEvent[];
  /** The newest first. */
  readonly revisions: readonly DatabaseRevision[];
  readonly notShown: readonly string[];
}

export async function besides(
  cluster: Cluster,
  { metadata: { namespace, name, uid } }: SeenDatabase,
): Promise<Besides> {
  const query = { labelSelector: selectorOf(memberSelector(name)) };
  const [pods, events, backups, revisions] = await Promise.all([
    listedIfAllowed(cluster, kinds.pods, { namespace, query }),
    listedIfAllowed(cluster, kinds.events, { namespace }),
    listedIfAllowed(cluster, kinds.backups, { namespace }),
    ofDatabase(name, (of) => listedIfAllowed(cluster, kinds.revisions, { namespace, query: of })),
  ]);
  const own = backups.items.flatMap((object) => backupIn(object) ?? []).filter(({ database }) => database === name);
  const isOurs = isAbout(name, new Set(own.map((backup) => backup.name)));
  return {
    members: pods.items.flatMap((pod) => memberIn(pod) ?? []),
    events: events.items.flatMap((event) => eventIn(event) ?? []).filter(isOurs),
    revisions: revisionsOf(revisions.items, name, uid),
    notShown: [pods.missing, events.missing, revisions.missing].flatMap((missing) => missing ?? []),
  };
}

export function explained(
  database: SeenDatabase,
  asked: string | undefined,
  { members, events, revisions, notShown }: Besides,
): Explanation {
  const { namespace, name } = database.metadata;
  const shown = members.filter((member) => asked === undefined || member.name === asked);
  const gone = asked !== undefined && shown.length === 0 ? [`${asked} has no pod`] : [];
  const incidents = incidentsOf(database, events, recordedIncidents(revisions)).filter(
    (one) => asked === undefined || names(asked, one),
  );
  return {
    ...{ namespace, name, state: stateOf(database), conditions: unwell(database), incidents },
    members: shown.map((member) => startOf(member, database, { events, recorded: recordedChain(member, revisions) })),
    notShown: [...gone, ...notShown],
  };
}

/** Whether it is about the member, or names it. */
const names = (member: string, { about, message }: { readonly about: string; readonly message: string }): boolean =>
  `${about} ${message}`.split(/[^-a-z0-9.]+/i).includes(member);
