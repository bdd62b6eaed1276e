// Which namespace a record of the operator's is for: one that is recreated under its name may belong to another tenant.
import { z } from "zod";
import { metadataOnly, type KubeClient } from "./client";
import { annotation } from "./operator-secrets";
import { namespacePath } from "./paths";

/** UID of the namespace that a record is for. */
export const ownerAnnotation = annotation("namespace-uid");

const Identified = z.object({ metadata: z.object({ uid: z.string() }) });

/** Undefined where there is none. */
export async function namespaceUid(client: KubeClient, namespace: string): Promise<string | undefined> {
  const found = await client.find(namespacePath(namespace), { accept: metadataOnly });
  return found === undefined ? undefined : Identified.parse(found).metadata.uid;
}
