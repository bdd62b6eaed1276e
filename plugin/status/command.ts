// `status`: how one Database fares, or all of them.
import { memberSelector } from "../../components/naming";
import { databaseNamed, listed, listedIfAllowed } from "../cluster/read";
import { kindOf, kinds } from "../cluster/paths";
import { selectorOf } from "../cluster/selector";
import type { Asked } from "../command/asked";
import type { ExitCode } from "../command/verb";
import type { Cluster, World } from "../command/world";
import { backupIn } from "../objects/backup";
import { databaseIn } from "../objects/database";
import { memberIn } from "../objects/member";
import { print } from "../output/print";
import { detailedStanding, type DetailedStanding } from "./detailed";
import { overviewLines } from "./overview";
import { standingOf, type Standing } from "./standing";
import { standingLines } from "./text";

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const { name } = asked;
  if (name === undefined) await showAll(asked, world, cluster);
  else await showOne(asked, world, await standingNamed(cluster, asked.namespace ?? cluster.namespace, name));
  return 0;
}

const showOne = (asked: Asked, world: World, standing: DetailedStanding): Promise<void> =>
  print(asked, world, {
    document: standing,
    names: [nameOf(standing)],
    lines: (view) => standingLines(standing, view),
  });

const nameOf = ({ name }: Standing): string => `${kindOf(kinds.databases)}/${name}`;

async function standingNamed(cluster: Cluster, namespace: string, name: string): Promise<DetailedStanding> {
  const [object, pods, backups] = await Promise.all([
    databaseNamed(cluster, namespace, name),
    listedIfAllowed(cluster, kinds.pods, { namespace, query: { labelSelector: selectorOf(memberSelector(name)) } }),
    listedIfAllowed(cluster, kinds.backups, { namespace }),
  ]);
  const database = databaseIn(object);
  if (database === undefined) throw new Error("the API server answered with something that is no Database");
  return detailedStanding(database, {
    members: pods.items.flatMap((pod) => memberIn(pod) ?? []),
    areMembersKnown: pods.missing === undefined,
    backups: backups.items.flatMap((backup) => backupIn(backup) ?? []).filter((backup) => backup.database === name),
    notShown: [pods.missing, backups.missing].flatMap((missing) => missing ?? []),
  });
}

async function showAll(asked: Asked, world: World, cluster: Cluster): Promise<void> {
  const { output, allNamespaces, headers } = asked;
  const namespace = allNamespaces ? undefined : (asked.namespace ?? cluster.namespace);
  const objects = await listed(cluster, kinds.databases, { namespace });
  const standings = objects.flatMap((object) => databaseIn(object) ?? []).map((database) => standingOf(database));
  const shape = { hasNamespaces: allNamespaces, hasHeadings: headers, isWide: output === "wide" };
  await print(asked, world, {
    document: { items: standings },
    names: standings.map(nameOf),
    lines: (view) => (standings.length === 0 ? [] : overviewLines(standings, { ...view, ...shape })),
  });
  if (standings.length === 0 && output === undefined)
    world.err(`There are no Databases${namespace === undefined ? "" : ` in namespace ${namespace}: -A shows all`}.\n`);
}
