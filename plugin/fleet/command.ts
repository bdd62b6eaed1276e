// `fleet`: what the operator would do to all Databases, one line each: as they are, or with another catalogue, ConfigMap or spec.
import { z } from "zod";
import { kinds } from "../cluster/paths";
import { listed } from "../cluster/read";
import type { Asked } from "../command/asked";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import type { Cluster, World } from "../command/world";
import { listOf } from "../output/document";
import { print } from "../output/print";
import { exitCodeOf, type Answer } from "../preview/answer";
import { itemOf } from "../preview/command";
import { answersTo } from "./ask";
import { sourcesOf, type SharedMap, type Sources } from "./sources";
import { fleetLines } from "./text";

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const sources = await sourcesOf(asked, world, cluster);
  const databases = await concernedBy(sources, asked, cluster);
  const answers = [
    ...sources.refused.map(refusedAnswer),
    ...(await answersTo(databases.map(askedAbout), sources, cluster)),
  ];
  const unserved = answers.find(({ kind }) => kind === "unserved");
  if (unserved?.kind === "unserved") throw new Trouble(unserved.why);
  await print(asked, world, {
    document: listOf(answers.map(itemOf)),
    names: [],
    lines: ({ palette }) =>
      fleetLines(answers, { palette, hasHeadings: asked.headers, byPlatform: isPlatforms(sources) }),
  });
  return exitCodeOf(answers);
}

const refusedAnswer = (refused: Sources["refused"][number]): Answer => ({ kind: "refused", ...refused });

const isPlatforms = ({ databases, refused }: Sources): boolean => databases.length + refused.length === 0;

const Placed = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), deletionTimestamp: z.string().optional() }),
  spec: z.object({ configFrom: z.object({ name: z.string() }).optional().catch(undefined) }).catch({}),
});
type Placed = z.infer<typeof Placed>;

interface Known extends Placed {
  readonly object: unknown;
}

const askedAbout = ({ object, metadata: { namespace } }: Known): { object: unknown; namespace: string } => ({
  object,
  namespace,
});

const knownIn = (object: unknown): Known[] => {
  const { data } = Placed.safeParse(object);
  return data === undefined || data.metadata.deletionTimestamp !== undefined ? [] : [{ ...data, object }];
};

const placeOf = ({ metadata: { namespace, name } }: Placed): string => `${namespace}/${name}`;

/** Those of files, those that name a ConfigMap of files, and all of them where nothing but the catalogue is assumed, or nothing. */
async function concernedBy(sources: Sources, asked: Asked, cluster: Cluster): Promise<readonly Known[]> {
  const { configMaps, catalogue } = sources;
  const written = sources.databases.flatMap(knownIn);
  const isOfFiles = written.length + sources.refused.length > 0 && configMaps.length === 0 && catalogue === undefined;
  if (isOfFiles) return written;
  const namespace = asked.allNamespaces ? undefined : (asked.namespace ?? cluster.namespace);
  const there = (await listed(cluster, kinds.databases, { namespace })).flatMap(knownIn);
  const isAll = configMaps.length === 0 || catalogue !== undefined;
  const named = isAll ? there : there.filter((one) => configMaps.some((map) => isNamedBy(map, one)));
  const places = new Set(written.map(placeOf));
  return [...written, ...named.filter((one) => !places.has(placeOf(one)))];
}

const isNamedBy = ({ namespace, name }: SharedMap, { metadata, spec }: Placed): boolean =>
  metadata.namespace === namespace && spec.configFrom?.name === name;
