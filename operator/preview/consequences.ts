// What a diff means for people who use the database: pure, and nothing that components/ does not hold.
import { startParameters } from "../../components/member";
import {
  archiveName,
  backupClaimName,
  backupCronJobName,
  configMapName,
  firstBackupJobName,
  initJobName,
  memberName,
  readOnlyServiceName,
  statefulSetName,
  verifyCronJobName,
} from "../../components/naming";
import { titleOf, type DesiredRestore } from "../domain/restore";
import type { UpgradePhase } from "../domain/upgrade";
import type { DeletionPolicy } from "../api/spec";
import type { FieldChange, PlannedStep } from "../domain/runner";
import { archiveOf } from "./archive";
import type { Lasting } from "./cluster";
import { drillsOf } from "./drills";
import { expanded } from "./fields";
import { fillingOf } from "./filling";
import { revisionAfter, type MadeMembers } from "./revisions";

/** What is known beside the steps. */
export interface ConsequenceInputs {
  /** The Database's name. */
  readonly name: string;
  /** How many members there will be. */
  readonly members: number;
  /** Which member is primary; undefined where none is, or it is not known. */
  readonly primary: string | undefined;
  /** Whether the database runs already, and whether its state is rebuilt from what runs. */
  readonly exists: boolean;
  readonly isRebuilt: boolean;
  readonly asked: readonly FieldChange[];
  /** Why no node could take a member now; undefined where one could, or it is not known. */
  readonly noPlace: string | undefined;
  /** What is copied before there are members; undefined where nothing is. */
  readonly restore?: DesiredRestore | undefined;
  /** Of the major upgrade that is in progress, or begins; undefined where there is none. */
  readonly phase?: UpgradePhase | undefined;
  /** What the present members were created from; undefined where there are none, or it is not known. */
  readonly made: MadeMembers | undefined;
}

/** One sentence each, the weightiest first. Empty where nothing happens. */
export function consequencesOf(steps: readonly PlannedStep[], at: ConsequenceInputs): string[] {
  if (!at.exists) return creationOf(steps, at);
  if (at.isRebuilt) return ["what exists is adopted, and changed where it differs; the Jobs run again"];
  const find = (kind: string, name: string): PlannedStep | undefined =>
    steps.find((step) => step.kind === kind && step.name === name && step.operation !== "same");
  const workload = find("StatefulSet", statefulSetName(at.name));
  const sentences = [
    ...fillingOf(find, at.name),
    ...heldOf(workload, at),
    ...restartOf(workload, at),
    ...(isStopped(at) ? [] : membersOf(workload, at)),
    ...parametersOf(find("ConfigMap", configMapName(at.name))),
    ...volumesOf(steps, at.name),
    ...jobsOf(find, at.name),
    ...accessOf(find("Service", readOnlyServiceName(at.name)), at),
    ...superuserOf(at.asked),
    ...policyOf(at.asked),
  ];
  const isAnything = sentences.length > 0 || steps.some(({ operation }) => operation !== "same");
  if (!isAnything || isStopped(at) || restartOf(workload, at).length > 0) return sentences;
  return [...sentences, `no member restarts${isOnItsWay(at) ? " in this step of the upgrade" : ""}`];
}

/** Members come and go by its phase then, which is told by itself, and not by a number that a person wrote. */
const isStopped = ({ phase }: ConsequenceInputs): boolean =>
  phase !== undefined && ["Gathering", "Stopping", "Converting", "Starting"].includes(phase);

const isOnItsWay = ({ phase }: ConsequenceInputs): boolean => phase === "Rehearsing" || phase === "BackingUp";

/** Where nodes are autoscaled the operator is configured so, and lets the first one wait for its node. */
function heldOf(workload: PlannedStep | undefined, at: ConsequenceInputs): string[] {
  if (at.noPlace === undefined || restartOf(workload, at).length === 0) return [];
  return [
    `${at.noPlace}: until one has room no member restarts, and running members keep their settings (with nodeAutoscaling the first to restart waits for its node)`,
  ];
}

function creationOf(steps: readonly PlannedStep[], at: ConsequenceInputs): string[] {
  const { name, members, noPlace, restore } = at;
  const makes = (kind: string, child: string): boolean =>
    steps.some((step) => step.kind === kind && step.name === child && step.operation === "create");
  const count = members === 1 ? "one member starts" : `${members} members start and elect a primary`;
  return [
    ...(noPlace === undefined ? [] : [`${noPlace}: members wait until one does`]),
    ...(restore === undefined ? [] : [copyOf(restore)]),
    `${count}; then a Job creates the application's role and database`,
    ...(makes("Job", firstBackupJobName(name)) || restore !== undefined
      ? ["a first backup is taken at once, the others by schedule"]
      : []),
    ...archiveOf(makes("Deployment", archiveName(name)) ? { operation: "create" } : undefined, name),
  ];
}

const copyOf = (restore: DesiredRestore): string =>
  `first a Job ${"server" in restore ? "imports" : "copies"} ${titleOf(restore)} into the first member's volume, and the steps below; once it has succeeded:`;

const template = "spec.template";

/** What in a pod's template is reported by a name of its own, and what is the rest. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/\.image$/, "another image"],
  [new RegExp(startParameters.annotation.replace(/[./]/g, "\\$&")), "parameters that take effect only at a restart"],
  [/\.resources\b/, "other resources"],
];

function restartOf(workload: PlannedStep | undefined, at: ConsequenceInputs): string[] {
  const fields = workload?.operation === "update" ? workload.fields : [];
  const changed = fields.filter(({ path }) => path.startsWith(template));
  const { restarting, count } = restartingOf(changed, fields, at);
  if (restarting.length === 0) return [];
  const why = causeOf(changed);
  if (at.members === 1) return [`the one member restarts (${why}): the database is unreachable meanwhile`];
  const handover = "when it is the primary's turn another member takes over, and clients reconnect";
  if (restarting.length === count)
    return [`all members restart, one after the other (${why}): ${orderOf(restarting, at)}; ${handover}`];
  return [partOf(restarting, count, why) + orderOf(restarting, at) + restOf(restarting, at, handover)];
}

function causeOf(changed: readonly FieldChange[]): string {
  if (changed.length === 0) return "an earlier change that is not carried out yet";
  const named = causes.filter(([pattern]) => changed.some(({ path }) => pattern.test(path))).map(([, cause]) => cause);
  return named.length > 0 ? named.join(", ") : "another pod template";
}

const partOf = ({ length }: readonly string[], count: number, why: string): string =>
  `${length} of ${count} members ${length === 1 ? "restarts" : "restart, one after the other"} (${why}): `;

function restOf(restarting: readonly string[], { primary }: ConsequenceInputs, handover: string): string {
  const hasPrimary = primary === undefined || restarting.includes(primary);
  return `; the others have these settings already${hasPrimary ? `; ${handover}` : ""}`;
}

/**
 * Members that there are and stay, from the highest number down, but for those that were created from what they should have. Where the template
 * stays as it is, those that an earlier change of it has not reached.
 */
function restartingOf(
  changed: readonly FieldChange[],
  fields: readonly FieldChange[],
  { name, members, made }: ConsequenceInputs,
): { readonly restarting: readonly string[]; readonly count: number } {
  const { before } = fields.find(({ path }) => path === "spec.replicas") ?? {};
  const count = typeof before === "number" ? Math.min(before, members) : members;
  const names = Array.from({ length: count }, (_, index) => memberName(name, count - 1 - index));
  const next = made && revisionAfter(changed, made);
  if (changed.length === 0 && next === undefined) return { restarting: [], count };
  const has = (member: string): boolean => next !== undefined && made?.members.get(member) === next;
  return { restarting: names.filter((member) => !has(member)), count };
}

/** The primary comes last: as operator/rollout does it. */
function orderOf(members: readonly string[], { primary }: ConsequenceInputs): string {
  const replicas = members.filter((member) => member !== primary);
  if (primary === undefined) return "the replicas from the highest number down, then the primary";
  if (replicas.length === members.length) return replicas.join(", ");
  return replicas.length === 0 ? `the primary ${primary}` : `${replicas.join(", ")}, then the primary ${primary}`;
}

function membersOf(workload: PlannedStep | undefined, at: ConsequenceInputs): string[] {
  const { before, after } = workload?.fields.find(({ path }) => path === "spec.replicas") ?? {};
  if (typeof before !== "number" || typeof after !== "number" || after === before) return [];
  return after > before ? growthOf(after - before, at) : shrinkageOf(before, before - after, at);
}

function growthOf(many: number, { noPlace }: ConsequenceInputs): string[] {
  const waits = noPlace === undefined ? "" : `; ${noPlace}: until one has, ${many === 1 ? "it waits" : "they wait"}`;
  return [
    many === 1
      ? `a member is added; it copies the data first${waits}`
      : `${many} members are added; each copies the data first${waits}`,
  ];
}

function shrinkageOf(before: number, many: number, { name, primary }: ConsequenceInputs): string[] {
  const removed = Array.from({ length: many }, (_, index) => memberName(name, before - 1 - index));
  const verb = many === 1 ? "is removed; its volume is" : "are removed; their volumes are";
  const isMoved = primary !== undefined && removed.includes(primary);
  return [
    `${removed.join(", ")} ${verb} kept, and used again when the database grows`,
    ...(isMoved ? [`${primary} is the primary: another member takes over, and clients reconnect`] : []),
  ];
}

/** Where the engine's dynamic configuration is: JSON in an annotation. */
const dynamic = "metadata.annotations.config";

function parametersOf(configuration: PlannedStep | undefined): string[] {
  const fields = configuration?.fields.flatMap(expanded).filter(({ path }) => path.startsWith(dynamic)) ?? [];
  if (fields.length === 0) return [];
  return [
    ...(fields.some(({ path }) => path.includes(".parameters."))
      ? ["parameters apply within seconds, except those that need a restart"]
      : []),
    ...commitsOf(fields),
  ];
}

/** What becomes of commits: fields that Patroni's configuration leaves out have Patroni's defaults. */
function commitsOf(fields: readonly FieldChange[]): string[] {
  const find = (name: string): FieldChange | undefined => fields.find(({ path }) => path === `${dynamic}.${name}`);
  const mode = find("synchronous_mode");
  if (mode?.after === false) return ["a commit no longer waits for a second member"];
  const strict = find("synchronous_mode_strict");
  return [
    ...othersOf(find("synchronous_node_count"), mode?.before === false),
    ...(strict?.after === true ? ["while no other member is available, commits wait"] : []),
    ...(strict?.before === true ? ["while no other member is available, commits continue with the primary alone"] : []),
  ];
}

function othersOf(count: FieldChange | undefined, isNew: boolean): string[] {
  if (typeof count?.after === "number")
    return [`a commit waits until ${count.after} other members have it, or all that are available`];
  return isNew || count !== undefined ? ["a commit waits until a second member has it"] : [];
}

function volumesOf(steps: readonly PlannedStep[], name: string): string[] {
  const isGrowth = ({ path }: FieldChange): boolean => path === "spec.resources.requests.storage";
  const grown = steps.filter(
    ({ kind, operation, fields }) =>
      kind === "PersistentVolumeClaim" && operation === "update" && fields.some(isGrowth),
  );
  const [backup, data] = [grown.filter(isBackup(name)), grown.filter((step) => !isBackup(name)(step))];
  const growth = "while the database runs, where the StorageClass allows it";
  return [
    ...(data.length > 0 ? [`${data.length === 1 ? "the data volume grows" : "the data volumes grow"} ${growth}`] : []),
    ...(backup.length > 0 ? [`the backup volume grows ${growth}`] : []),
  ];
}

const isBackup =
  (database: string) =>
  ({ name }: PlannedStep): boolean =>
    name === backupClaimName(database);

type Find = (kind: string, name: string) => PlannedStep | undefined;

function jobsOf(find: Find, name: string): string[] {
  const schedule = find("CronJob", backupCronJobName(name));
  const runs = (job: string): boolean => {
    const operation = find("Job", job)?.operation;
    return operation === "create" || operation === "replace";
  };
  return [
    ...(schedule?.operation === "update" ? ["backups use the new settings from the next one on"] : []),
    ...(schedule?.operation === "create" ? ["backups are taken by schedule from now on"] : []),
    ...(schedule?.operation === "delete" ? ["no more backups are taken; existing ones stay on their volume"] : []),
    ...drillsOf(find("CronJob", verifyCronJobName(name))?.operation),
    ...archiveOf(find("Deployment", archiveName(name)), name),
    ...(runs(firstBackupJobName(name)) ? ["a backup is taken at once"] : []),
    ...(runs(initJobName(name))
      ? ["the Job that creates the application's role and database runs again; it leaves what it finds"]
      : []),
  ];
}

function accessOf(readOnly: PlannedStep | undefined, { members }: ConsequenceInputs): string[] {
  if (readOnly?.operation !== "update" || !readOnly.fields.some(({ path }) => path.startsWith("spec.selector")))
    return [];
  return [`${readOnly.name} leads to ${members > 1 ? "the replicas" : "the primary"} from now on`];
}

function superuserOf(asked: readonly FieldChange[]): string[] {
  switch (asked.find(({ path }) => path === "spec.superuserAccess")?.after) {
    case "Network":
      return ["the superuser may connect from every pod that may reach the database"];
    case "Local":
      return ["the superuser connects from inside its member's pod only; connections that are open stay"];
    default:
      return [];
  }
}

function policyOf(asked: readonly FieldChange[]): string[] {
  const policy = asked.find(({ path }) => path === "spec.deletionPolicy");
  switch (policy?.after) {
    case "Delete":
      return ["a later deletion permanently removes data, backups and credentials"];
    case "Snapshot":
      return ["a later deletion takes a last backup, removes the data volumes, and keeps backups and credentials"];
    case "Retain":
      return ["a later deletion keeps data, backups and credentials"];
    default:
      return [];
  }
}

/** Whether a deletion under `policy` leaves this. */
export const outlives = (policy: DeletionPolicy, { keptWith }: Lasting): boolean =>
  policy === "Retain" || (policy === "Snapshot" && keptWith === "backups");

/** What the deletion of a Database leaves, by its policy. */
export function deletionOf(policy: DeletionPolicy, lasting: readonly Lasting[]): string[] {
  const named = (stays: boolean): string =>
    lasting
      .filter((one) => outlives(policy, one) === stays)
      .map(({ child }) => child)
      .join(", ");
  const [kept, removed] = [named(true), named(false)];
  return [
    ...(policy === "Snapshot" ? ["first a last backup is taken; unless it succeeds nothing is destroyed"] : []),
    "the members stop, and applications can no longer connect",
    ...(removed === "" ? [] : [`deletionPolicy ${policy}: permanently removed: ${removed}`]),
    ...(kept === ""
      ? []
      : [`deletionPolicy ${policy}: kept, and adopted again by a Database of the same name: ${kept}`]),
  ];
}
