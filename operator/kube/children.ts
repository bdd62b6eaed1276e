// A Database's children in the cluster, found by name and by label, without Pulumi.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import {
  fieldManager,
  managedSelector,
  memberNames,
  renewalFieldManager,
  statefulSetName,
} from "../../components/naming";
import { placeOf, type Place, type Key } from "../domain/key";
import { changerOf, isHeldBy, ownFieldsOf } from "../objects/managed-fields";
import type { ChildName, Children, DeclaredChild, Drift, Inspection, Keep, Standing, Swept } from "../domain/children";
import type { Desired } from "../domain/desired";
import {
  childName,
  controllers,
  isChild,
  isChildPod,
  kindOf,
  others,
  possibleChildren,
  resourceOf,
  type ChildKind,
} from "./child-kinds";
import { leftoverText } from "./holders";
import { isApiError, metadataListOnly, metadataOnly, type KubeClient, type Query } from "./client";
import { collection, item, resources, selectorText, type Resource } from "./paths";

const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }) });
const Claim = z.object({
  spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }),
});
const ClaimTemplates = z.object({ spec: z.object({ volumeClaimTemplates: z.array(Claim) }) });
const Leftover = z.object({
  name: z.string(),
  deletionTimestamp: z.string().optional(),
  ownerReferences: z.array(z.unknown()).default([]),
  finalizers: z.array(z.string()).default([]),
});
type Leftover = z.infer<typeof Leftover>;
const Listed = z.object({ items: z.array(z.object({ metadata: Leftover })).nullish() });
export { childKinds } from "./child-kinds";

/** See the header. */
export class ClusterChildren implements Children {
  constructor(private readonly client: KubeClient) {}

  async standing(key: Key, desired: Desired, known: ReadonlySet<ChildName>): Promise<Standing> {
    const owner = placeOf(key);
    const asked = possibleChildren(desired).filter((child) => !known.has(child));
    // out of the API server's memory: what it has not heard of yet could as well come right after the question
    const found = await Promise.all(asked.map((child) => this.#find(child, owner, { resourceVersion: "0" })));
    const exist = asked.filter((_, index) => found[index] !== undefined);
    const ours = new Map(
      asked.flatMap((child, index) =>
        isOurs(found[index], owner.name) ? [[child, uidOf(found[index])] as const] : [],
      ),
    );
    return { conflicts: exist.filter((child) => !ours.has(child)), ours };
  }

  async inspect(key: Key, suspects: ReadonlyMap<ChildName, DeclaredChild>): Promise<Inspection> {
    const owner = placeOf(key);
    const findings = await Promise.all([...suspects].map(([name, child]) => this.#inspectOne(name, child, owner)));
    return {
      drift: findings.filter((finding) => typeof finding === "object"),
      conflicts: [...suspects.keys()].filter((_, index) => findings[index] === "foreign"),
      terminating: [...suspects.keys()].filter((_, index) => findings[index] === "terminating"),
    };
  }

  async #inspectOne(
    child: ChildName,
    declared: DeclaredChild,
    owner: Place,
  ): Promise<Drift | "asLeft" | "foreign" | "terminating"> {
    const place = resourceOf(child);
    if (place === undefined) return "asLeft";
    const { resource } = place;
    const path = item(resource, owner.namespace, place.name);
    const found = await this.client.find(path, { accept: metadataOnly });
    if (found === undefined) return driftOf(child, declared, undefined);
    const finding = judgeLive(child, declared, found, owner);
    const isClaim = resource === resources.persistentVolumeClaims && typeof finding === "object";
    return isClaim
      ? { ...finding, size: Claim.safeParse(await this.client.find(path)).data?.spec.resources.requests.storage }
      : finding;
  }

  async claimTemplate(key: Key): Promise<{ claimTemplateStorage?: string }> {
    const { namespace, name } = placeOf(key);
    const found = await this.client.find(item(resources.statefulSets, namespace, statefulSetName(name)));
    const template = ClaimTemplates.safeParse(found).data?.spec.volumeClaimTemplates[0];
    return template === undefined ? {} : { claimTemplateStorage: template.spec.resources.requests.storage };
  }

  async existing(key: Key, children: readonly ChildName[]): Promise<readonly ChildName[]> {
    const owner = placeOf(key);
    const found = await Promise.all(children.map((child) => this.#find(child, owner)));
    return children.filter((_, index) => isOurs(found[index], owner.name) && !isTerminating(found[index]));
  }

  async remove(key: Key, children: readonly ChildName[]): Promise<void> {
    const owner = placeOf(key);
    await Promise.all(
      children.map(async (child) => {
        const found = await this.#find(child, owner);
        const place = resourceOf(child);
        if (place === undefined || !isOurs(found, owner.name)) return;
        await this.client.delete(item(place.resource, owner.namespace, place.name), { uid: uidOf(found) });
      }),
    );
  }

  async prepareAdoption(key: Key, ours: ReadonlyMap<ChildName, string>): Promise<{ claimTemplateStorage?: string }> {
    const owner = placeOf(key);
    const all = [...ours.keys()];
    const jobs = all.filter((child) => child.startsWith("Job "));
    await this.remove(key, jobs);
    if (all.some((child) => child.startsWith("ConfigMap "))) await this.#forgetConsensus(owner);
    return ours.has(`StatefulSet ${statefulSetName(owner.name)}`) ? this.claimTemplate(key) : {};
  }

  /** What consensus kept of data files that are all gone would keep new ones from being created. */
  async #forgetConsensus(owner: Place): Promise<void> {
    const kind = kindOf("PersistentVolumeClaim");
    const claims = await leftoversOf(this.client, kind, owner);
    if (claims.some(({ name }) => kind.keptWith?.(name, owner.name) === "data")) return;
    const maps = await leftoversOf(this.client, kindOf("ConfigMap"), owner);
    await Promise.all(maps.map(({ name }) => this.client.delete(item(resources.configMaps, owner.namespace, name))));
  }

  async stopMembers(key: Key): Promise<readonly string[]> {
    const owner = placeOf(key);
    const { going } = await this.#sweepKind(kindOf("StatefulSet"), owner, "nothing");
    const members = new Set(memberNames(owner.name));
    const pods = await this.#sweepPods(owner, ({ name }) => members.has(name));
    return [...going.map(textOf), ...pods.left];
  }

  async sweep(key: Key, keep: Keep): Promise<Swept> {
    const owner = placeOf(key);
    const [first, pods] = [await this.#sweepKinds(controllers, owner, keep), await this.#sweepPods(owner)];
    const { strangers } = first;
    const left = [...first.going.map(textOf), ...pods.left];
    if (left.length > 0) return { left, strangers: [] };
    // a volume is held for some milliseconds after its last pod has gone: to look for everything again would cost more
    const rest = await this.#sweepKinds(others, owner, keep);
    const stays = await Promise.all(rest.going.map((one) => this.#staysAwhile(one)));
    return {
      left: rest.going.filter((_, index) => stays[index]).map(textOf),
      strangers: [...strangers, ...pods.strangers, ...rest.strangers],
    };
  }

  /** Metadata of a child; undefined where there is none. */
  async #find(child: ChildName, { namespace }: Place, query: Query = {}): Promise<unknown> {
    const place = resourceOf(child);
    return place && this.client.find(item(place.resource, namespace, place.name), { accept: metadataOnly, query });
  }

  /** Pods go with their controllers and are waited for; one whose controller was orphaned away is deleted. */
  async #sweepPods(
    owner: Place,
    isWanted: (pod: Leftover) => boolean = ({ name }) => isChildPod(name, owner.name),
  ): Promise<Swept> {
    const found = await managedIn(this.client, resources.pods, owner);
    const [pods, strangers] = parted(found, isWanted);
    const orphans = pods.filter(({ ownerReferences }) => ownerReferences.length === 0);
    await Promise.all(orphans.map((pod) => this.client.delete(item(resources.pods, owner.namespace, pod.name))));
    return { left: pods.map((pod) => leftoverText("Pod", pod)), strangers: strangers.map(({ name }) => `Pod ${name}`) };
  }

  async #sweepKinds(wanted: readonly ChildKind[], owner: Place, keep: Keep): Promise<SweptKinds> {
    const all = await Promise.all(wanted.map((child) => this.#sweepKind(child, owner, keep)));
    return { going: all.flatMap(({ going }) => going), strangers: all.flatMap(({ strangers }) => strangers) };
  }

  /** Deletes what is not kept. */
  async #sweepKind(child: ChildKind, owner: Place, keep: Keep): Promise<SweptKinds> {
    const { kind, resource, keptWith, names } = child;
    const isAllKept = keptWith !== undefined && keep === "all data";
    if (isAllKept && names(owner.name).every((name) => keptWith(name, owner.name) !== undefined))
      return { going: [], strangers: [] };
    const isKept = ({ name }: Leftover): boolean => {
      const by = keptWith?.(name, owner.name);
      return by !== undefined && kept[keep].has(by);
    };
    const found = await managedIn(this.client, resource, owner);
    const [own, strangers] = parted(found, ({ name }) => isChild(child, name, owner.name));
    const doomed = own.filter((left) => !isKept(left));
    const deleted = doomed.map(async (left): Promise<Going[]> => {
      const path = item(resource, owner.namespace, left.name);
      return (await this.client.delete(path)) === "going" ? [{ kind, path, left }] : [];
    });
    return {
      going: (await Promise.all(deleted)).flat(),
      strangers: isAllKept ? [] : strangers.map(({ name }) => childName(child, name)),
    };
  }

  async #staysAwhile({ path }: Going): Promise<boolean> {
    for (const pause of patienceMs) {
      await sleep(pause);
      if ((await this.client.find(path, { accept: metadataOnly })) === undefined) return false;
    }
    return true;
  }
}

interface SweptKinds {
  /** What was deleted and is not gone with that. */
  readonly going: readonly Going[];
  readonly strangers: readonly string[];
}

const parted = <T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] => [
  items.filter(isFirst),
  items.filter((one) => !isFirst(one)),
];

/** What was deleted and is not gone yet. */
interface Going {
  readonly kind: string;
  readonly path: string;
  readonly left: Leftover;
}

const textOf = ({ kind, left }: Going): string => leftoverText(kind, left);

/** Pauses before further looks at what has just been deleted, in milliseconds. */
const patienceMs = [20, 60, 120];

/** What there is of a Database's children of a kind: with their labels, and their names. */
export async function leftoversOf(client: KubeClient, kind: ChildKind, owner: Place): Promise<Leftover[]> {
  const found = await managedIn(client, kind.resource, owner);
  return found.filter(({ name }) => isChild(kind, name, owner.name));
}

/** What has the labels of a Database's children. */
const managedIn = (client: KubeClient, resource: Resource, { namespace, name }: Place): Promise<Leftover[]> =>
  labelled(client, collection(resource, namespace), managedSelector(name));

/** Metadata of what has these labels in a collection; nothing where the cluster does not know the kind. */
export async function labelled(
  client: KubeClient,
  path: string,
  labels: Readonly<Record<string, string>>,
): Promise<Leftover[]> {
  const labelSelector = selectorText(labels);
  try {
    const answer = await client.get(path, { query: { labelSelector }, accept: metadataListOnly });
    return (Listed.parse(answer).items ?? []).map(({ metadata }) => metadata);
  } catch (error) {
    if (isApiError(error, 404)) return [];
    throw error;
  }
}

const kept: Readonly<Record<Keep, ReadonlySet<"data" | "backups">>> = {
  "all data": new Set(["data", "backups"]),
  backups: new Set(["backups"]),
  nothing: new Set(),
};

function isOurs(object: unknown, name: string): boolean {
  if (object === undefined) return false;
  const { labels } = Labelled.parse(object).metadata;
  return Object.entries(managedSelector(name)).every(([label, value]) => labels[label] === value);
}

const Live = z.object({ metadata: z.object({ uid: z.string(), deletionTimestamp: z.string().optional() }) });

const uidOf = (object: unknown): string => Live.parse(object).metadata.uid;

const isTerminating = (object: unknown): boolean => Live.parse(object).metadata.deletionTimestamp !== undefined;

/** How a child that exists compares with what is declared; one that another client created again is not ours. */
function judgeLive(
  child: ChildName,
  declared: DeclaredChild,
  object: unknown,
  { name }: Place,
): Drift | "asLeft" | "foreign" | "terminating" {
  const { uid, deletionTimestamp } = Live.parse(object).metadata;
  const isSame = uid === declared.uid;
  if (!isSame && !isOurs(object, name)) return "foreign";
  if (deletionTimestamp !== undefined) return "terminating";
  if (isSame && ownFieldsOf(object, fieldManager).digest === declared.applied) return "asLeft";
  const drift = driftOf(child, declared, object);
  // a certificate that was renewed while no run could is as it shall be
  return drift.kind === "edited" && isHeldBy(object, drift.fields, renewalFieldManager) ? "asLeft" : drift;
}

function driftOf(child: ChildName, declared: DeclaredChild, live: unknown): Drift {
  const { urn } = declared;
  if (live === undefined) return { child, urn, kind: "deleted", fields: [], by: undefined };
  const uid = uidOf(live);
  const isSame = uid === declared.uid;
  const { paths } = ownFieldsOf(live, fieldManager);
  const fields = [...declared.fields].filter((path) => !paths.has(path));
  if (!isSame) return { child, urn, kind: "replaced", fields: [], by: makerOf(child, live, fields), uid };
  const by = changerOf(live, fields, fieldManager);
  // the same fields at another time: our own field manager applied something that the stored state does not know of
  return fields.length > 0
    ? { child, urn, kind: "edited", fields, by, uid }
    : { child, urn, kind: "outdated", fields: [], by: undefined, uid };
}

/**
 * Who created an object again; undefined for one that has all that we had of it, as backup tools bring objects back. Of a claim only its
 * creator holds what cannot be changed, whichever client grew or labelled it afterwards.
 */
function makerOf(child: ChildName, live: unknown, missing: readonly string[]): string | undefined {
  if (missing.length === 0) return undefined;
  const isClaim = child.startsWith("PersistentVolumeClaim ");
  return changerOf(live, isClaim ? ["spec.accessModes"] : missing, fieldManager);
}
