// What a step of a major upgrade is decided by, past all local copies: to be mistaken could have two programs use the same files.
import { z } from "zod";
import {
  childSelector,
  consensusMapName,
  dataClaimNames,
  initJobName,
  memberName,
  statefulSetName,
  upgradeAnnotation,
  upgradeJobName,
} from "../../components/naming";
import { maxMembers } from "../../contract/limits";
import { placeOf, type Key } from "../domain/key";
import type { UpgradeJobSeen, UpgradeLooks } from "../domain/ports";
import { Upgrade } from "../domain/upgrade";
import { parseJson } from "../objects/json";
import type { KubeClient } from "./client";
import { hopelessWaits, jobStateOf } from "./observe";
import { collection, item, resources, selectorText } from "./paths";
import { upgradeReportIn } from "./upgrade-report";

const Pod = z.object({
  metadata: z.object({ creationTimestamp: z.string().default("") }).prefault({}),
  spec: z.object({
    volumes: z.array(z.object({ persistentVolumeClaim: z.object({ claimName: z.string() }).optional() })).default([]),
  }),
  status: z
    .object({
      phase: z.string().default(""),
      containerStatuses: z
        .array(
          z.object({
            state: z
              .object({
                terminated: z.object({ message: z.string().default("") }).optional(),
                waiting: z.object({ reason: z.string().default("") }).optional(),
              })
              .prefault({}),
          }),
        )
        .default([]),
    })
    .prefault({}),
});
const Pods = z.object({ items: z.array(Pod).nullish() });
type Pod = z.infer<typeof Pod>;

const Job = z.object({
  metadata: z.object({ uid: z.string(), deletionTimestamp: z.string().optional() }),
  status: z.object({ startTime: z.string().optional() }).prefault({}),
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
      spec: z.object({ containers: z.array(z.object({ image: z.string() })) }),
    }),
  }),
});

const Annotated = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
});

const Addresses = z.record(z.string(), z.unknown());

/** Phases of a pod whose containers have ended, and do not start again. */
const ended = new Set(["Succeeded", "Failed"]);

/** See the header. */
export class ClusterUpgradeLooks implements UpgradeLooks {
  constructor(private readonly client: Pick<KubeClient, "find" | "get">) {}

  async occupants(key: Key): Promise<number> {
    const { namespace, name } = placeOf(key);
    const claims = new Set(dataClaimNames(name, maxMembers));
    const pods = await this.#pods(namespace, selectorText(childSelector(name)));
    const hasOne = ({ spec }: Pod): boolean =>
      spec.volumes.some(({ persistentVolumeClaim: claim }) => claim !== undefined && claims.has(claim.claimName));
    return pods.filter((pod) => hasOne(pod) && !ended.has(pod.status.phase)).length;
  }

  async job(key: Key, request: string): Promise<UpgradeJobSeen | undefined> {
    const { namespace, name } = placeOf(key);
    const found = await this.client.find(item(resources.jobs, namespace, upgradeJobName(name)));
    if (found === undefined) return undefined;
    const { metadata, spec, status } = Job.parse(found);
    const { startTime: startedAt } = status;
    const isAsked = spec.template.metadata.annotations[upgradeAnnotation] === request;
    if (!isAsked || metadata.deletionTimestamp !== undefined) return undefined;
    const pods = await this.#pods(namespace, `batch.kubernetes.io/controller-uid=${metadata.uid}`);
    const report = lastReportIn(pods);
    const waits = hopelessWaitIn(pods);
    return {
      state: jobStateOf(found),
      ...(startedAt !== undefined && { startedAt }),
      ...(report !== undefined && { report }),
      ...(waits !== undefined && { waits }),
    };
  }

  async leadsAlone(key: Key): Promise<boolean> {
    const { namespace, name } = placeOf(key);
    const found = await this.client.find(item(resources.configMaps, namespace, consensusMapName(name, "leader")));
    if (found === undefined) return false;
    const { leader, failsafe = "" } = Annotated.parse(found).metadata.annotations;
    // Patroni's names and addresses of those that may lead where the Kubernetes API does not answer; it writes them with each renewal
    const allowed = Addresses.safeParse(parseJson(failsafe)).data;
    const first = memberName(name, 0);
    return leader === first && allowed !== undefined && Object.keys(allowed).join() === first;
  }

  async isInitialized(key: Key, image: string): Promise<boolean> {
    const { namespace, name } = placeOf(key);
    const found = await this.client.find(item(resources.jobs, namespace, initJobName(name)));
    if (found === undefined) return false;
    const { metadata, spec } = Job.parse(found);
    const isOfImage = spec.template.spec.containers.some((container) => container.image === image);
    return isOfImage && metadata.deletionTimestamp === undefined && jobStateOf(found) === "succeeded";
  }

  async declared(key: Key): Promise<Upgrade | undefined> {
    const { namespace, name } = placeOf(key);
    const found = await this.client.find(item(resources.statefulSets, namespace, statefulSetName(name)));
    if (found === undefined) return undefined;
    return Upgrade.safeParse(parseJson(Annotated.parse(found).metadata.annotations[upgradeAnnotation] ?? "")).data;
  }

  async #pods(namespace: string, labelSelector: string): Promise<Pod[]> {
    const listed = await this.client.get(collection(resources.pods, namespace), { query: { labelSelector } });
    return Pods.parse(listed).items ?? [];
  }
}

const hopelessWaitIn = (pods: readonly Pod[]): string | undefined =>
  pods
    .filter(({ status }) => !ended.has(status.phase))
    .flatMap(({ status }) => status.containerStatuses)
    .map(({ state }) => state.waiting?.reason ?? "")
    .find((reason) => hopelessWaits.has(reason));

/** Of several attempts, what the last one said. */
function lastReportIn(pods: readonly Pod[]): UpgradeJobSeen["report"] {
  const sorted = [...pods].sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1));
  return sorted
    .flatMap(({ status }) => status.containerStatuses)
    .map(({ state }) => upgradeReportIn(state.terminated?.message ?? ""))
    .find((report) => report !== undefined);
}
