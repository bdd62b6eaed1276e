// The objects that the operator declares for a Database, as they are now.
import { createHash } from "node:crypto";
import { z } from "zod";
import { fieldManager, managedSelector } from "../../components/naming";
import { childKinds } from "../../operator/kube/child-kinds";
import { selectorText } from "../../operator/kube/paths";
import { ownFieldsOf } from "../../operator/objects/managed-fields";
import type { Kubectl } from "../harness/kubectl";
import type { Leaves } from "./leaves";
import type { ChildState } from "./objects";
import { ownLeavesOf } from "./own-leaves";

const Living = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), deletionTimestamp: z.string().optional() }),
});

/** Whatever the operator applied some of; what is being deleted is gone. Secret values are digests. */
export async function childrenOf(kubectl: Kubectl, namespace: string, name: string): Promise<ChildState[]> {
  const selection = { namespace, selector: selectorText(managedSelector(name)), managedFields: true };
  // these clusters know no ServiceMonitors
  const kinds = childKinds.map(({ kind }) => kind).filter((kind) => kind !== "ServiceMonitor");
  const lists = await Promise.all(
    kinds.map(async (kind) => (await kubectl.list(kind, selection)).flatMap((object) => stateOf(kind, object))),
  );
  return lists.flat();
}

function stateOf(kind: string, object: unknown): ChildState[] {
  const { name, uid, deletionTimestamp } = Living.parse(object).metadata;
  const leaves = ownLeavesOf(object);
  if (leaves === undefined || deletionTimestamp !== undefined) return [];
  const { digest } = ownFieldsOf(object, fieldManager);
  return [{ child: `${kind} ${name}`, uid, leaves: kind === "Secret" ? withoutSecrets(leaves) : leaves, digest }];
}

function withoutSecrets(leaves: Leaves): Leaves {
  const digestOf = (value: unknown): string =>
    createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8);
  const isSecret = (path: string): boolean => /^(data|stringData)\b/.test(path);
  return new Map([...leaves].map(([path, value]) => [path, isSecret(path) ? digestOf(value) : value]));
}
