// Metadata that all children share: names, labels, annotations and the owner reference.
import type * as k8s from "@pulumi/kubernetes";
import { childAnnotations, labelsOf, type ChildRole } from "./naming";
import type { Identity } from "./settings";

/** What a child's metadata may have beside the shared part. */
export interface MetadataWishes {
  /** Value of the label `app.kubernetes.io/component`. Default: "database". */
  readonly role?: ChildRole;
  /** More labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** More annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Metadata of a child that goes when its owner goes. */
export function metadataOf(
  identity: Identity,
  name: string,
  wishes: MetadataWishes = {},
): k8s.types.input.meta.v1.ObjectMeta {
  return { ...lastingMetadataOf(identity, name, wishes), ...ownerReferencesOf(identity) };
}

/** Metadata of a child that outlives its owner: data, backups, credentials. */
export function lastingMetadataOf(
  identity: Identity,
  name: string,
  wishes: MetadataWishes = {},
): k8s.types.input.meta.v1.ObjectMeta {
  return {
    name,
    namespace: identity.namespace,
    // ours last: by them the operator knows what it created
    labels: { ...wishes.labels, ...labelsOf(identity.name, identity.engine, wishes.role) },
    annotations: { ...childAnnotations, ...wishes.annotations },
  };
}

function ownerReferencesOf({ owner }: Identity): Pick<k8s.types.input.meta.v1.ObjectMeta, "ownerReferences"> {
  if (owner === undefined) return {};
  return { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] };
}
