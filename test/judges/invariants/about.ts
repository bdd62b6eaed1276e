// Which Database a write in the audit log is about, and whether it can be why the operator writes.
import { backupResource, companionResources, revisionResource } from "../../../contract/resources";
import { childKinds } from "../../../components/naming";
import { stackNameOf } from "../../../operator/domain/stack-names";
import { consensusNames, possibleChildren } from "./model";
import { operatorNamespace, type AuditedWrite, type DatabaseView, type Key } from "./snapshot";

/** What a Database is called, and what it refers to. */
export interface Subject {
  readonly key: Key;
  readonly namespace: string;
  readonly name: string;
  /** ConfigMaps that any version of it named in `configFrom`. */
  readonly sources: ReadonlySet<string>;
}

export function subjectOf(
  { namespace, name }: Pick<DatabaseView, "namespace" | "name">,
  sources: Iterable<string>,
): Subject {
  return { key: `${namespace}/${name}`, namespace, name, sources: new Set(sources) };
}

/**
 * Whether the operator's write is about a Database: itself, a child, its companion, its history or the operator's record of it. Events
 * are left out: the log does not show what they are about; they come with a write of the status, which counts, and
 * `events` judges how many there are.
 */
export const concerns = (write: AuditedWrite, subject: Subject): boolean =>
  isItself(write, subject) || isChild(write, subject) || isRevision(write, subject) || isRecord(write, subject);

/**
 * How far a write of another client reaches: `all`, whatever the operator may have to do; `status`, no more than what is said
 * of the Database, since only the state of an object changed and not what is asked for; `nothing`.
 */
export type Reach = "all" | "status" | "nothing";

/** Whether a write can be why the operator writes to this Database. */
export function reachOf(write: AuditedWrite, subject: Subject): Reach {
  if (isForEverybody(write) || isEndOfNamespace(write, subject) || isRecord(write, subject)) return "all";
  if (write.namespace !== subject.namespace || isConsensus(write, subject)) return "nothing";
  if (isSource(write, subject) || isOfBackups(write, subject)) return "all";
  return [isWhole, isItself, isChild].some((isAbout) => isAbout(write, subject))
    ? reachInside(write, subject)
    : reachBeside(write);
}

const reachInside = (write: AuditedWrite, subject: Subject): Reach =>
  isPart(write, subject) || isReport(write) ? "status" : "all";

const reachBeside = (write: AuditedWrite): Reach => (isJobByHand(write) ? "status" : "nothing");

/** Whether it is a write of the history, which tells what was done, and of members what happened to them. */
export const isOfHistory = ({ resource }: AuditedWrite): boolean => resource === revisionResource.plural;

/** A DatabaseRevision of the Database. */
const isRevision = (write: AuditedWrite, { namespace, name }: Subject): boolean =>
  isOfHistory(write) && write.namespace === namespace && new RegExp(`^${name}-[0-9a-f]{8}-\\d+$`).test(write.name);

/** Whether another client's write can be why the operator writes to the history of this Database, beside what reaches its status. */
export const makesHistory = (write: AuditedWrite, subject: Subject): boolean =>
  isRevision(write, subject) ||
  (isOfHistory(write) && write.name === "" && write.namespace === subject.namespace) ||
  (write.resource === "customresourcedefinitions" &&
    write.name === `${revisionResource.plural}.${revisionResource.group}`);

/** What its configFrom names. */
const isSource = ({ resource, name }: AuditedWrite, { sources }: Subject): boolean =>
  resource === "configmaps" && sources.has(name);

/**
 * A DatabaseBackup, which the log does not show the Database of; or the Job that one asks for, by whose end it is known which backup it is: both
 * decide which ones are kept.
 */
const isOfBackups = ({ resource, name }: AuditedWrite, subject: Subject): boolean =>
  resource === backupResource.plural ||
  (resource === "jobs" && new RegExp(`^${subject.name}-backup-[mgr][0-9a-f]+$`).test(name));

const isEndOfNamespace = ({ resource, verb, name }: AuditedWrite, { namespace }: Subject): boolean =>
  resource === "namespaces" && verb === "delete" && name === namespace;

/** A request that deletes all objects of a kind names none of them. */
const isWhole = ({ resource, verb, name }: AuditedWrite): boolean =>
  name === "" && verb === "deletecollection" && (resource === "databases" || plurals.has(resource));

/** Whether a write says how an object fares, and does not change what is asked for. */
function isReport({ resource, subresource, verb, user }: AuditedWrite): boolean {
  if (subresource === "status") return resource !== "databases";
  // controllers of Kubernetes itself bind volumes and mark what they have seen; an autoscaler is another matter
  const isController = /^system:(kube-|node:|serviceaccount:kube-system:)/.test(user);
  return isController && !verb.startsWith("delete") && subresource !== "scale";
}

/** Whether no more is written than what is said of a Database or its companion. */
export const isStatus = ({ resource, subresource }: AuditedWrite): boolean =>
  subresource === "status" && (resource === "databases" || companions.has(resource));

const companions: ReadonlySet<string> = new Set(Object.values(companionResources).map(({ plural }) => plural));

const isItself = ({ resource, namespace, name }: AuditedWrite, subject: Subject): boolean =>
  (resource === "databases" || companions.has(resource)) && namespace === subject.namespace && name === subject.name;

/** Kinds of children as the API's paths name them. */
const pluralOf: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(childKinds).map(([kind, { plural }]) => [kind, plural]),
);
const plurals: ReadonlySet<string> = new Set(Object.values(pluralOf));

const childNames = new Map<string, ReadonlySet<string>>();

/** `plural/name` of all children that a Database of this name can have. */
function childrenOf(name: string): ReadonlySet<string> {
  const known = childNames.get(name);
  if (known !== undefined) return known;
  const children = new Set(
    possibleChildren(name).map((child) => `${pluralOf[child.kind] ?? child.kind}/${child.name}`),
  );
  childNames.set(name, children);
  return children;
}

const isChild = (write: AuditedWrite, subject: Subject): boolean =>
  write.namespace === subject.namespace &&
  (childrenOf(subject.name).has(`${write.resource}/${write.name}`) || isPart(write, subject));

/** Pods of members and of Jobs, and Jobs that the schedule creates. */
function isPart({ resource, name, namespace }: AuditedWrite, subject: Subject): boolean {
  if (namespace !== subject.namespace || !name.startsWith(`${subject.name}-`)) return false;
  const rest = name.slice(subject.name.length + 1);
  if (resource === "pods") return /^(\d+|(init|backup(-first|-final|-\d+)?|verify-\d+)-\w+)$/.test(rest);
  return resource === "jobs" && /^(backup|verify)-\d+$/.test(rest);
}

/**
 * A Job that a person created from a schedule has any name; that it has ended is in the status of the Database, and the operator may be
 * sooner with it than the schedule's own controller. The log does not show whose schedule.
 */
const isJobByHand = ({ resource, name }: AuditedWrite): boolean =>
  resource === "jobs" && name !== "" && !/-(backup-(first|final|\d+)|verify-\d+)$/.test(name);

/** What members write in their ConfigMaps, again and again, is among themselves. */
const isConsensus = ({ resource, name, user }: AuditedWrite, subject: Subject): boolean =>
  resource === "configmaps" &&
  consensusNames(subject.name).includes(name) &&
  user === `system:serviceaccount:${subject.namespace}:${subject.name}`;

/** The operator's own Secrets for this Database. */
function isRecord({ resource, namespace, name }: AuditedWrite, subject: Subject): boolean {
  if (namespace !== operatorNamespace || resource !== "secrets") return false;
  const stack = stackNameOf(subject.namespace, subject.name);
  const isOwn = ["state", "credentials", "certificates"].some((record) => name === `${record}.${stack}`);
  return isOwn || name.startsWith(`former-credentials.${stack}.`);
}

/** Whether certificates of the Database were issued again, which becomes due by the time alone. */
export const isRenewal = ({ resource, namespace, name, verb }: AuditedWrite, subject: Subject): boolean =>
  verb === "update" &&
  resource === "secrets" &&
  namespace === operatorNamespace &&
  name === `certificates.${stackNameOf(subject.namespace, subject.name)}`;

/** What every Database depends on: the kinds, the catalogue, the key of all states, and what the operator may do. */
const isForEverybody = (write: AuditedWrite): boolean => isKind(write) || isGrant(write) || isOwnInput(write);

const isKind = ({ resource, subresource, name }: AuditedWrite): boolean =>
  resource === "customresourcedefinitions" && kinds.has(name) && subresource === "";

const isGrant = ({ resource, name }: AuditedWrite): boolean =>
  /^cluster(role|rolebinding)s$/.test(resource)
    ? name === operator
    : /^(role|rolebinding)s$/.test(resource) && name.startsWith(operator);

const isOwnInput = ({ resource, namespace, name }: AuditedWrite): boolean =>
  namespace === operatorNamespace &&
  ((resource === "configmaps" && name === `${operator}-catalogue`) ||
    (resource === "secrets" && (name === "" || name === `${operator}-state-key`)));

const operator = "database-operator";

const kinds: ReadonlySet<string> = new Set([
  "databases.example.com",
  ...Object.values(companionResources).map(({ plural, group }) => `${plural}.${group}`),
  "servicemonitors.monitoring.coreos.com",
]);
