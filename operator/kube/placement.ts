// What nodes have for pods, which of them reach the volume of a claim, and whether a pod would be created at all.
import { z } from "zod";
import { valueOf } from "../api/quantity";
import { separationProblem } from "../placement/apart";
import type { NodeOffer } from "../placement/nodes";
import { placementProblem, type PinnedVolume } from "../placement/placement";
import type { PodWish } from "../domain/pod-wish";
import type { Placement } from "../domain/ports";
import { isApiError, type KubeClient } from "./client";
import { collection, item, resources } from "./paths";

const Node = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
  spec: z
    .object({
      unschedulable: z.boolean().default(false),
      taints: z
        .array(z.object({ key: z.string().default(""), value: z.string().default(""), effect: z.string() }))
        .default([]),
    })
    .prefault({}),
  status: z.object({ allocatable: z.record(z.string(), z.string()).default({}) }).prefault({}),
});
const NodeList = z.object({
  metadata: z.object({ continue: z.string().default("") }),
  items: z.array(Node).nullish(),
});

/** Nodes of one request: where the first ones could take a member, the others are not read. */
const pageSize = 100;

const Claim = z.object({ spec: z.object({ volumeName: z.string().optional() }) });
const Term = z.object({
  matchExpressions: z
    .array(z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).default([]) }))
    .default([]),
});
const Volume = z.object({
  spec: z.object({
    nodeAffinity: z.object({ required: z.object({ nodeSelectorTerms: z.array(Term) }).optional() }).optional(),
  }),
});

/** Over the cluster as it is. What may not be seen is not known, and nothing is held against it. */
export const createPlacement = (client: Pick<KubeClient, "get" | "find">): Placement => ({
  problemOf: async (wish, ...where) =>
    (await missingClass(wish, client)) ?? (await ifSeen(nodeProblem(client, wish, ...where))),
});

/** The placement that a configuration asks for. Where nodes come as they are asked for, any pod that is created finds one. */
export const openPlacement = (
  client: Pick<KubeClient, "get" | "find">,
  { nodeAutoscaling }: { readonly nodeAutoscaling: boolean },
): Placement => (nodeAutoscaling ? { problemOf: (wish) => missingClass(wish, client) } : createPlacement(client));

/** Why no node takes such a pod with the volumes of these claims. */
async function nodeProblem(
  client: Pick<KubeClient, "get" | "find">,
  wanted: PodWish,
  namespace: string,
  claims: readonly string[],
): Promise<string | undefined> {
  const pages = remembered(pagesOf(client));
  const general = await placementProblem(wanted, pages);
  if (general !== undefined) return general;
  const volumes: (PinnedVolume | undefined)[] = [];
  for (const claim of claims) {
    const volume = await pinnedVolume(client, namespace, claim);
    const problem = volume && (await placementProblem(wanted, pages, volume));
    if (problem !== undefined) return problem;
    volumes.push(volume);
  }
  return wanted.apart === undefined ? undefined : separationProblem(wanted, await wholeOf(pages), volumes);
}

/** The API server creates no pod of a class that is not there: a member that was restarted for it would stay away. */
async function missingClass(
  { priorityClassName: name }: PodWish,
  client: Pick<KubeClient, "find">,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const look = client.find(`${collection(resources.priorityClasses)}/${name}`);
  return ifSeen(look.then((found) => (found === undefined ? `there is no PriorityClass ${name}` : undefined)));
}

/** What came of a look; undefined where it may not be taken. */
const ifSeen = <T>(look: Promise<T>): Promise<T | undefined> =>
  look.catch((error: unknown) => {
    if (isApiError(error, 403)) return undefined;
    throw error;
  });

/** Can be gone through again and again, and asks for each page once. */
function remembered<T>(pages: AsyncGenerator<T>): AsyncIterable<T> {
  const known: T[] = [];
  return {
    async *[Symbol.asyncIterator]() {
      for (let index = 0; ; index++) {
        if (index === known.length) {
          const next = await pages.next();
          if (next.done === true) return;
          known.push(next.value);
        }
        yield* known.slice(index, index + 1);
      }
    },
  };
}

async function wholeOf<T>(pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

async function* pagesOf(client: Pick<KubeClient, "get">): AsyncGenerator<readonly NodeOffer[]> {
  let from = "";
  do {
    const query = { limit: String(pageSize), ...(from !== "" && { continue: from }) };
    const { metadata, items } = NodeList.parse(await client.get(collection(resources.nodes), { query }));
    yield (items ?? []).map(offerOf);
    from = metadata.continue;
  } while (from !== "");
}

function offerOf({ metadata, spec, status }: z.infer<typeof Node>): NodeOffer {
  return {
    name: metadata.name,
    labels: metadata.labels,
    isOpen: !spec.unschedulable,
    taints: spec.taints.filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute"),
    cpu: valueOf(status.allocatable["cpu"] ?? "0"),
    memory: valueOf(status.allocatable["memory"] ?? "0"),
  };
}

/** The volume of a claim, where not every node can reach it. */
async function pinnedVolume(
  client: Pick<KubeClient, "find">,
  namespace: string,
  claim: string,
): Promise<PinnedVolume | undefined> {
  const found = await client.find(item(resources.persistentVolumeClaims, namespace, claim));
  const { volumeName } = Claim.safeParse(found).data?.spec ?? {};
  if (volumeName === undefined || volumeName === "") return undefined;
  const volume = await client.find(`${collection(resources.persistentVolumes)}/${volumeName}`);
  const required = Volume.safeParse(volume).data?.spec.nodeAffinity?.required;
  if (required === undefined) return undefined;
  return { claim, terms: required.nodeSelectorTerms.map(({ matchExpressions }) => matchExpressions) };
}
