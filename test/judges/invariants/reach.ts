// The operator writes to Databases, to their children and to its own records, and is refused nothing.
import { backupResource, companionResources, previewApiService, revisionResource } from "../../../contract/resources";
import { possibleChildren } from "./model";
import { keyOf, operatorNamespace, type AuditedWrite, type Invariant, type Key } from "./snapshot";

export const reach: Invariant = {
  name: "reach",
  promise: "the operator writes to Databases, their children and its own records, and asks for no right that it lacks",
  judge: ({ writes, watched, operatorUser }) => {
    if (writes === undefined || watched === undefined) return undefined;
    // a watch that was interrupted may have missed one that was soon gone
    const made = writes.filter(
      ({ resource, verb, code }) => resource === "databases" && verb === "create" && code < 400,
    );
    const known = new Set([...watched.map(({ database }) => keyOf(database)), ...made.map(keyOf)]);
    const own = writes.filter(({ user }) => user === operatorUser);
    const strays = own.filter((write) => write.code < 400 && !isInReach(write, known));
    // an API server that has just started refuses for a moment what it grants
    const granted = new Set(own.filter(({ code }) => code < 400).map(rightOf));
    const refused = own.filter((write) => isRefused(write) && !granted.has(rightOf(write)));
    return [
      ...new Set([
        ...strays.map((write) => `${textOf(write)}, which belongs to no Database`),
        ...refused.map((write) => `${textOf(write)} was refused`),
      ]),
    ];
  },
};

/**
 * A namespace that is going takes nothing new, whichever client asks. The provider looks for events of what it waits for, to quote
 * them, and does without where it may not.
 */
const isRefused = ({ code, answer, verb, resource }: AuditedWrite): boolean =>
  code === 403 && !answer.includes("being terminated") && !(resource === "events" && isRead(verb));

const rightOf = ({ verb, resource, namespace }: AuditedWrite): string => [verb, resource, namespace].join(" ");

const isRead = (verb: string): boolean => verb === "list" || verb === "watch" || verb === "get";

const textOf = ({ verb, resource, namespace, name }: AuditedWrite): string =>
  `${verb} of ${resource} ${namespace}/${name}`;

function isInReach(write: AuditedWrite, known: ReadonlySet<Key>): boolean {
  const { namespace, name, resource, subresource } = write;
  if (namespace === "") return [registrations, questions].some((known) => known.has(`${resource}/${name}`));
  if (namespace === operatorNamespace) return isOwn(resource, name);
  if (companions.has(resource)) return subresource === "status";
  const databases = [...known].filter((key) => key.startsWith(`${namespace}/`)).map((key) => key.split("/")[1] ?? "");
  if (name === "" || resource === "events") return databases.length > 0;
  if (resource === "databases") return databases.includes(name);
  if (resource === "pods") return databases.some((database) => name.startsWith(`${database}-`));
  if (resource === backupResource.plural) return databases.some((database) => isOfBackups(write, database));
  if (resource === revisionResource.plural) return databases.some((database) => isOfRevisions(write, database));
  return databases.some((database) => isChild(write, database));
}

const isOfRevisions = ({ name }: AuditedWrite, database: string): boolean =>
  new RegExp(`^${database}-[0-9a-f]{8}-\\d+$`).test(name);

/** Of a DatabaseBackup the operator writes what it observed, it makes those of Jobs, and what has no data any more it deletes. */
const isOfBackups = ({ name, verb, subresource }: AuditedWrite, database: string): boolean =>
  subresource === "status" || verb === "delete" || new RegExp(`^${database}-\\d{8}t\\d{6}`).test(name);

/** Or the Job that a DatabaseBackup asks for. */
const isChild = ({ resource, name }: AuditedWrite, database: string): boolean =>
  possibleChildren(database).some((child) => child.name === name) ||
  (resource === "jobs" && new RegExp(`^${database}-backup-[mgr][0-9a-f]+$`).test(name));

/** Of these the operator writes nothing but what it observed. */
const companions: ReadonlySet<string> = new Set(Object.values(companionResources).map(({ plural }) => plural));

/** Where the API server learns of the operator's webhooks. */
const registrations: ReadonlySet<string> = new Set([
  "customresourcedefinitions/databases.example.com",
  "mutatingwebhookconfigurations/database-operator",
  "validatingwebhookconfigurations/database-operator",
  `apiservices/${previewApiService}`,
]);

/** Asked by a creation of what is not stored: whether a person may do something. */
const questions: ReadonlySet<string> = new Set(["subjectaccessreviews/"]);

const ownSecrets: readonly string[] = ["", "database-operator-state-key", "database-operator-webhook-certificates"];

const isOwn = (resource: string, name: string): boolean =>
  (resource === "secrets" && isRecord(name)) || (resource === "leases" && isLease(name));

const isRecord = (name: string): boolean =>
  ownSecrets.includes(name) || /^(state|(former-)?credentials|certificates)\./.test(name);

const isLease = (name: string): boolean => name === "" || name === "database-operator-leader";
