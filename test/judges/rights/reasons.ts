// Why the operator holds its rights: a sentence for each resource, and one for each right that no test uses. Data for the
// comparison with the audit log and for docs/rights.md.
import { childKinds, qualifiedName } from "../../../components/naming";
import { backupResource, companionResources, revisionResource } from "../../../contract/resources";
import type { Right } from "./right";

const ofChildren = Object.fromEntries(
  Object.values(childKinds).map((child) => [`elsewhere ${qualifiedName(child)}`, child.purpose]),
);

const companions = Object.values(companionResources).map(({ group, plural }) => `elsewhere ${plural}.${group}`);

const backups = `elsewhere ${backupResource.plural}.${backupResource.group}`;

const revisions = `elsewhere ${revisionResource.plural}.${revisionResource.group}`;

const ofCompanions = Object.fromEntries(
  companions.flatMap((companion) => [
    [companion, "a companion: it is translated to a Database; read again where its status was written over"],
    [`${companion}/status`, "the Database's status, mirrored"],
    [`${companion}/finalizers`, "its Database names it as an owner that waits for it"],
  ]),
);

/** By scope and resource. What is granted has a sentence here. */
export const reasons: Readonly<Record<string, string>> = {
  "elsewhere databases.example.com":
    "what people ask for; patched for the finalizer alone, and never deleted. Those of companions are made and applied",
  "elsewhere databases.example.com/status": "how it went",
  "elsewhere databases.example.com/finalizers": "children name their Database as an owner that waits for them",
  [backups]:
    "backups that people ask for; those of the schedule are made, and deleted when retention has removed their data, or the deletion of their Database its volume",
  [`${backups}/status`]: "how a backup went",
  [revisions]: "the history of Databases: made for each change, and deleted where there are more than are kept",
  [`${revisions}/status`]: "what came of a change",
  ...ofCompanions,
  ...ofChildren,
  "elsewhere pods":
    "readiness, roles and revisions of members; deleted where a deletion left them without a controller",
  "elsewhere controllerrevisions.apps":
    "what members were created from, before it is told which of them a change restarts",
  "elsewhere pods/eviction":
    "members get other settings by a restart; an eviction, unlike a deletion, is refused while a drain has another member down",
  "elsewhere events": "what happened, on the Database",
  "elsewhere namespaces": "whether a namespace is about to go, before anything is destroyed in it",
  "elsewhere customresourcedefinitions.apiextensions.k8s.io":
    "whether the cluster knows ServiceMonitors; the webhooks' authority in the operator's own one",
  "elsewhere mutatingwebhookconfigurations.admissionregistration.k8s.io": "the webhooks' authority, in its own one",
  "elsewhere validatingwebhookconfigurations.admissionregistration.k8s.io": "the webhooks' authority, in its own one",
  "elsewhere nodes": "whether any node could take a member, before one is restarted; a warning where none could",
  "elsewhere persistentvolumes":
    "which nodes reach the volume of a member, for the same; and which outlive a namespace, so that the passwords in their data are kept",
  "elsewhere priorityclasses.scheduling.k8s.io": "whether a pod of that class would be created, for the same",
  "elsewhere storageclasses.storage.k8s.io": "whether volumes can grow, before a change is let through",
  "elsewhere subjectaccessreviews.authorization.k8s.io":
    "whether the person who asks for a preview may write the Database",
  "elsewhere apiservices.apiregistration.k8s.io": "the webhooks' authority, in its own one",
  "own secrets":
    "states, passwords of record, the key of the states, and certificates: the webhooks' and those of Databases, with the keys that sign them",
  "own configmaps": "the catalogue",
  "own leases.coordination.k8s.io": "which operator leads",
};

const ownerReferences =
  "asked for by the admission plug-in OwnerReferencesPermissionEnforcement while a child is created; that is not a request of its own";

const conflict =
  "its status is read again where another client wrote it meanwhile, which no test can bring about at will in a cluster; each such read is tried in test/judges/rights/conflicts.test.ts";

/** Rights that are held and not always seen in the audit log, each with why they stay. */
export const exceptions: Readonly<Record<Right, string>> = {
  ...Object.fromEntries([revisions, ...companions].map((resource) => [`${resource} get`, conflict])),
  "elsewhere databases.example.com/finalizers update": ownerReferences,
  ...Object.fromEntries(companions.map((companion) => [`${companion}/finalizers update`, ownerReferences])),
  "elsewhere events list":
    "the provider asks where the CLI starts it (DATABASE_OPERATOR_PULUMI=cli), and again and again where it may not",
  "elsewhere events watch":
    "the provider asks where the CLI starts it (DATABASE_OPERATOR_PULUMI=cli), and again and again where it may not",
};
