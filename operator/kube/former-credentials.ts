// Passwords whose namespace is gone or was recreated: kept for as long as a PersistentVolume outlives it that may hold data which know no others.
import { z } from "zod";
import { backupClaimName, dataClaimNames } from "../../components/naming";
import { placeOf, type Key } from "../domain/key";
import { isApiError } from "./client";
import { annotation, recordSelector, Secret, secretObject, type Store } from "./operator-secrets";
import { maxMembers } from "../../contract/limits";
import { collection, item, resources } from "./paths";

/** Names of the PersistentVolumes that a record is kept for, with spaces between them. */
const volumesAnnotation = annotation("volumes");

const Volumes = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string() }),
        spec: z.object({
          persistentVolumeReclaimPolicy: z.string().default(""),
          claimRef: z.object({ namespace: z.string().default(""), name: z.string().default("") }).optional(),
        }),
      }),
    )
    .nullish(),
});
type Volume = NonNullable<z.infer<typeof Volumes>["items"]>[number];

const Named = z.object({
  items: z.array(Secret.and(z.object({ metadata: z.object({ name: z.string() }) }))).nullish(),
});

/** A record that is kept. */
export interface KeptRecord {
  /** Of the Secret in the operator's namespace. */
  readonly secret: string;
  readonly volumes: readonly string[];
}

const prefix = "former-";

/**
 * Keeps a copy of `record`, which is the Secret `name`, under a name that no Database asks for, so that a person alone hands it out. Undefined
 * where no volume outlives its namespace, of which `of` distinguishes it from later ones. Records of volumes that are all gone are removed.
 */
export async function keepFormer(
  store: Store,
  { key, name, of }: { readonly key: Key; readonly name: string; readonly of: string },
  record: Secret,
): Promise<KeptRecord | undefined> {
  const all = Volumes.parse(await store.client.get(collection(resources.persistentVolumes))).items ?? [];
  await forgetFormer(store, new Set(all.map(({ metadata }) => metadata.name)));
  const volumes = all.filter((volume) => outlives(volume, key)).map(({ metadata }) => metadata.name);
  if (volumes.length === 0) return undefined;
  const secret = `${prefix}${name}.${of}`;
  const annotations = { [volumesAnnotation]: volumes.join(" ") };
  const body = { name: secret, record: "former-credentials", data: record.data, annotations } as const;
  try {
    await store.client.create(collection(resources.secrets, store.namespace), secretObject(store.namespace, body));
  } catch (error) {
    // an attempt that broke off has kept it already
    if (!isApiError(error, 409)) throw error;
  }
  return { secret, volumes };
}

/** A volume that stays when its claim goes, and that a claim of the Database has, or had. */
function outlives({ spec: { persistentVolumeReclaimPolicy, claimRef } }: Volume, key: Key): boolean {
  const { namespace, name } = placeOf(key);
  const claims = [...dataClaimNames(name, maxMembers), backupClaimName(name)];
  return (
    persistentVolumeReclaimPolicy === "Retain" && claimRef?.namespace === namespace && claims.includes(claimRef.name)
  );
}

async function forgetFormer({ client, namespace }: Store, volumes: ReadonlySet<string>): Promise<void> {
  const labelSelector = recordSelector("former-credentials");
  const kept = Named.parse(await client.get(collection(resources.secrets, namespace), { query: { labelSelector } }));
  for (const { metadata } of kept.items ?? []) {
    // a copy that a person created for a Database may still have the label
    if (!metadata.name.startsWith(prefix)) continue;
    const wanted = (metadata.annotations[volumesAnnotation] ?? "").split(" ");
    if (!wanted.some((volume) => volumes.has(volume)))
      await client.delete(item(resources.secrets, namespace, metadata.name));
  }
}
