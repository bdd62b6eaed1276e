// What is looked at before data are destroyed: the namespace, the data volumes and the last backup, past all local copies.
import { z } from "zod";
import { ObservedDatabase } from "../domain/observed-database";
import {
  allConsensusMapNames,
  dataClaimNames,
  finalBackupAnnotation,
  finalBackupJobName,
  managedSelector,
  restoreAnnotation,
} from "../../components/naming";
import { placeOf } from "../domain/key";
import type { JobRun } from "../domain/members";
import type { LastLook } from "../domain/ports";
import { childKinds } from "./child-kinds";
import { leftoversOf } from "./children";
import type { KubeClient } from "./client";
import { holdersOf, leftoverText } from "./holders";
import { jobStateOf } from "./observe";
import { maxMembers } from "../../contract/limits";
import { collection, item, namespacePath, resources, selectorText } from "./paths";

const Ending = z.object({ metadata: z.object({ deletionTimestamp: z.string().optional() }) });
const Claims = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string() }),
        status: z.object({ phase: z.string().default("") }).prefault({}),
      }),
    )
    .nullish(),
});
const Named = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })).nullish() });
const Answer = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
    }),
  }),
});

export function createLastLook(client: KubeClient): LastLook {
  return {
    async ending(key, uid) {
      const { namespace, name } = placeOf(key);
      const found = await client.find(item(resources.databases, namespace, name));
      if (found === undefined) return undefined;
      const database = new ObservedDatabase(found);
      const { metadata } = database;
      return metadata.uid === uid && metadata.deletionTimestamp !== undefined ? database : undefined;
    },
    async namespaceEnds(key) {
      const found = await client.find(namespacePath(placeOf(key).namespace));
      return found === undefined || Ending.parse(found).metadata.deletionTimestamp !== undefined;
    },
    async hasData(key) {
      const { namespace, name } = placeOf(key);
      const names = new Set(dataClaimNames(name, maxMembers));
      const path = collection(resources.persistentVolumeClaims, namespace);
      // by the labels that a sweep goes by: what does not carry them is not destroyed
      const listed = await client.get(path, { query: { labelSelector: selectorText(managedSelector(name)) } });
      // a volume that no pod ever had is not bound: Pending; Lost is no reason to destroy what is left
      return (Claims.parse(listed).items ?? []).some(
        ({ metadata, status }) => names.has(metadata.name) && status.phase !== "Pending",
      );
    },
    async consensus(key) {
      const { namespace, name } = placeOf(key);
      const names = new Set(allConsensusMapNames(name));
      const listed = await client.get(collection(resources.configMaps, namespace), {
        query: { labelSelector: selectorText(managedSelector(name)) },
      });
      return (Named.parse(listed).items ?? []).map(({ metadata }) => metadata.name).filter((map) => names.has(map));
    },
    async held(key) {
      // a volume in use goes with the members, and so must not be waited for before they do
      const destroyed = childKinds.filter(({ keptWith }) => keptWith === undefined);
      const found = destroyed.map(async (child) =>
        (await leftoversOf(client, child, placeOf(key)))
          .filter((left) => left.deletionTimestamp !== undefined && holdersOf(left.finalizers).length > 0)
          .map((left) => leftoverText(child.kind, left)),
      );
      return (await Promise.all(found)).flat();
    },
    restore: (key, { uid, job }) =>
      answerTo(client, { namespace: placeOf(key).namespace, job }, [restoreAnnotation, uid]),
    finalBackup: (key, wish) =>
      answerTo(client, { namespace: placeOf(key).namespace, job: finalBackupJobName(placeOf(key).name) }, [
        finalBackupAnnotation,
        wish,
      ]),
  };
}

/** How a Job fares whose pods have this annotation; undefined where there is none of that name, or it answers another wish. */
async function answerTo(
  client: KubeClient,
  { namespace, job }: { readonly namespace: string; readonly job: string },
  [annotation, wish]: readonly [string, string],
): Promise<JobRun["state"] | undefined> {
  const found = await client.find(item(resources.jobs, namespace, job));
  if (found === undefined) return undefined;
  const { annotations } = Answer.parse(found).spec.template.metadata;
  return annotations[annotation] === wish ? jobStateOf(found) : undefined;
}
