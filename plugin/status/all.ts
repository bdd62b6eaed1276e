// The standing of all Databases of a namespace, or of the cluster: one line each.
import { listed } from "../cluster/read";
import { kinds } from "../cluster/paths";
import type { Asked } from "../command/asked";
import type { Cluster, World } from "../command/world";
import { databaseIn } from "../objects/database";
import { print } from "../output/print";
import { nameOf } from "./name";
import { lineOf, overviewLines } from "./overview";
import { standingOf, type Standing } from "./standing";
import { followed } from "./watch";

export async function showAll(asked: Asked, world: World, cluster: Cluster): Promise<void> {
  const { output, allNamespaces, headers, watch } = asked;
  const namespace = allNamespaces ? undefined : (asked.namespace ?? cluster.namespace);
  const standings = (await listed(cluster, kinds.databases, { namespace })).flatMap(standingsIn);
  const shape = shapeOf(asked);
  await print(asked, world, {
    document: { items: standings },
    names: standings.map(nameOf),
    lines: (view) =>
      standings.length === 0 ? [] : overviewLines(standings, { ...view, ...shape, hasHeadings: headers }),
  });
  if (watch) return followAll(asked, world, { cluster, namespace, standings });
  if (standings.length === 0 && output === undefined)
    world.err(`There are no Databases${namespace === undefined ? "" : ` in namespace ${namespace}: -A shows all`}.\n`);
}

const shapeOf = ({
  allNamespaces,
  output,
}: Asked): { hasNamespaces: boolean; isWide: boolean; hasHeadings: boolean } => ({
  ...{ hasNamespaces: allNamespaces, isWide: output === "wide", hasHeadings: false },
});

const standingsIn = (object: unknown): Standing[] => {
  const database = databaseIn(object);
  return database === undefined ? [] : [standingOf(database)];
};

interface Known {
  readonly cluster: Cluster;
  readonly namespace: string | undefined;
  readonly standings: readonly Standing[];
}

const keyOf = ({ namespace, name }: Standing): string => `${namespace}/${name}`;

/** A line for each that fares otherwise than it was told last. */
async function followAll(asked: Asked, world: World, { cluster, namespace, standings }: Known): Promise<void> {
  const known = new Map(standings.map((one) => [keyOf(one), one]));
  for await (const change of followed({ cluster, namespace, name: undefined, stopped: world.stopped })) {
    for (const standing of standingsIn(change.object)) {
      if (change.isGone) known.delete(keyOf(standing));
      else if (JSON.stringify(known.get(keyOf(standing))) !== JSON.stringify(standing)) {
        known.set(keyOf(standing), standing);
        await print(asked, world, {
          document: standing,
          names: [nameOf(standing)],
          lines: (view) => [lineOf(standing, [...known.values()], { ...view, ...shapeOf(asked) })],
        });
      }
    }
  }
}
