// The standing of one Database, with its members and what to do.
import { memberSelector } from "../../components/naming";
import { databaseNamed, listedIfAllowed } from "../cluster/read";
import { kinds } from "../cluster/paths";
import { selectorOf } from "../cluster/selector";
import type { Asked } from "../command/asked";
import type { Cluster, World } from "../command/world";
import { backupIn } from "../objects/backup";
import { aDatabase } from "../objects/database";
import { memberIn } from "../objects/member";
import { print } from "../output/print";
import { detailedStanding, type DetailedStanding } from "./detailed";
import { nameOf } from "./name";
import { standingLines } from "./text";
import { followed, readAtLast } from "./watch";

export async function showOne(asked: Asked, world: World, cluster: Cluster): Promise<void> {
  const { name = "", watch } = asked;
  const namespace = asked.namespace ?? cluster.namespace;
  let shown = await standingNamed(cluster, namespace, name);
  await show(asked, world, shown);
  if (!watch) return;
  for await (const { isGone } of followed({ cluster, namespace, name, stopped: world.stopped })) {
    if (isGone) return;
    const standing = await readAtLast(() => standingNamed(cluster, namespace, name), world.stopped);
    if (standing === undefined || JSON.stringify(standing) === JSON.stringify(shown)) continue;
    shown = standing;
    if (asked.output === undefined) world.out("\n");
    await show(asked, world, standing);
  }
}

const show = (asked: Asked, world: World, standing: DetailedStanding): Promise<void> =>
  print(asked, world, {
    document: standing,
    names: [nameOf(standing)],
    lines: (view) => standingLines(standing, view),
  });

async function standingNamed(cluster: Cluster, namespace: string, name: string): Promise<DetailedStanding> {
  const [object, pods, backups] = await Promise.all([
    databaseNamed(cluster, namespace, name),
    listedIfAllowed(cluster, kinds.pods, { namespace, query: { labelSelector: selectorOf(memberSelector(name)) } }),
    listedIfAllowed(cluster, kinds.backups, { namespace }),
  ]);
  return detailedStanding(aDatabase(object), {
    members: pods.items.flatMap((pod) => memberIn(pod) ?? []),
    areMembersKnown: pods.missing === undefined,
    backups: backups.items.flatMap((backup) => backupIn(backup) ?? []).filter((backup) => backup.database === name),
    notShown: [pods.missing, backups.missing].flatMap((missing) => missing ?? []),
  });
}
