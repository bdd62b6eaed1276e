// `fleet`: what the operator would do to all Databases, one line each: as they are, or with another catalogue, ConfigMap or spec.
import { setTimeout as delay } from "node:timers/promises";
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
import { itemOf, previewed } from "../preview/command";
import { sourcesOf, type SharedMap, type Sources } from "./sources";
import { fleetLines } from "./text";

/** As many as the operator works on at a time; of one person it takes three. */
const atOnce = 2;

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const sources = await sourcesOf(asked, world, cluster);
  const databases = await concernedBy(sources, asked, cluster);
  const answers = [...sources.refused.map(refusedAnswer), ...(await answersTo(databases, sources, cluster))];
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

async function answersTo(databases: readonly Known[], sources: Sources, cluster: Cluster): Promise<readonly Answer[]> {
  const answers = new Map<Known, Answer>();
  const left = [...databases];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const answer = await answerTo(next, sources, cluster);
      // where previews are not served, they are for none of the others
      if (answer.kind === "unserved") left.length = 0;
      answers.set(next, answer);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return databases.flatMap((one) => answers.get(one) ?? []);
}

function answerTo({ object, metadata }: Known, { catalogue, configMaps }: Sources, cluster: Cluster): Promise<Answer> {
  const own = configMaps.filter(({ namespace }) => namespace === metadata.namespace);
  const assume = {
    ...(catalogue !== undefined && { catalogue }),
    ...(own.length > 0 && { configMaps: Object.fromEntries(own.map(({ name, data }) => [name, data])) }),
  };
  return patiently(() => previewed(object, "Apply", { cluster, warnings: [], assume }));
}

/** While others ask for previews, too: how often it is tried again, and after how long. */
const tries = 10;
const pauseMs = 2000;

async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = tries; ; left--) {
    const answer = await ask();
    if (answer.kind !== "refused" || !answer.isBusy || left === 0) return answer;
    await delay(pauseMs);
  }
}
