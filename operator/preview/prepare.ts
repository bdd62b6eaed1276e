// What the operator does before it runs Pulumi, by its own code: judge, look at the children, and make up the request.
import type { ServerTls } from "../../contract/tls";
import { deletionPolicyOf } from "../api/lifecycle";
import { metadataOf, parseDatabase, type Database } from "../api/object";
import type { DatabaseProgram, Desired } from "../domain/desired";
import { planNumber, wishOf } from "../domain/pending";
import type { StackRecord } from "../domain/records";
import { stackOf } from "../domain/stack-names";
import type { Circumstances } from "../consequences/circumstances";
import type { Consequence } from "../consequences/consequence";
import type { DeletedBy, Lasting } from "../consequences/deletion";
import { differencesIn } from "../consequences/fields";
import { needsAll } from "../consequences/spare";
import type { Key } from "../domain/key";
import type { FieldChange, PreviewRequest } from "../domain/runner";
import { backupPlacement, memberPlacement } from "../placement/members";
import { lookAtChildren, type Look } from "../reconcile/drift";
import { judge } from "../reconcile/judge";
import { withRecorded } from "../reconcile/recorded";
import { tlsBefore } from "../reconcile/tls-before";
import { programFor } from "./program-for";
import { clearanceOf } from "../reconcile/refusal";
import type { RestoreStep } from "../reconcile/restore";
import { rivalry, type Others } from "../reconcile/rival";
import { updateOf } from "../reconcile/update";
import { foundIn, type Found } from "./adoption";
import { besideIn } from "./beside";
import type { Cluster } from "./cluster";
import { formerOf, heldAgainst, presentOf, type Behind } from "./former";
import { deletionNotes, notesOn } from "./notes";
import { heldBy, passageIn, portsFor, type HeldBy } from "./passage";
import type { PlatformPolicies } from "./policy-note";
import type { Previewed } from "./plan";
import { sizedOf } from "./sized";
import { upgradeWay } from "./upgrade-way";

type Request = PreviewRequest<DatabaseProgram>;

/** A change that the operator would apply. */
export interface PreparedChange extends Behind, HeldBy {
  readonly kind: "change";
  readonly database: Key;
  readonly circumstances: Circumstances;
  readonly notes: readonly string[];
  readonly isHeld: boolean;
  readonly look: Look;
  readonly request: Request;
  /** The request that rebuilds the state from what exists, for one that turns out to be unreadable. */
  readonly adopt: () => Promise<Request>;
  /** What creations may find. */
  readonly found: Found;
  /** How the spec differs from the one in the cluster. */
  readonly asked: readonly FieldChange[];
  /** What is asked for, and how many plans were used up before. */
  readonly wish: string;
  readonly plans: number;
}

/** A deletion that the operator would execute. */
export interface PreparedDeletion {
  readonly kind: "deletion";
  readonly database: Key;
  readonly notes: readonly string[];
  readonly plans: number;
  readonly by: DeletedBy;
  readonly lasting: readonly Lasting[];
  readonly request: Request;
}

export type Prepared = PreparedChange | PreparedDeletion | Exclude<Previewed, { kind: "plan" }>;

/** How a preview should be computed. */
export interface PrepareOptions {
  readonly refresh: boolean;
  /** See ResidentQuestion. */
  readonly leavesDrift?: boolean | undefined;
  /** Whether everything is told that is asked for, also what would wait after a first part was carried out. Default: the first part alone. */
  readonly isWhole?: boolean | undefined;
  /** Default: nothing waits. */
  readonly policies?: PlatformPolicies | undefined;
}

/** What would follow from `object` being what it is after an apply. */
export async function prepareApply(object: unknown, cluster: Cluster, options: PrepareOptions): Promise<Prepared> {
  const metadata = metadataOf(object);
  const key = `${metadata.namespace}/${metadata.name}`;
  const [before, found] = await Promise.all([cluster.database(key), cluster.records.load(key)]);
  if (metadata.deletionTimestamp !== undefined) return prepareDeletion(before ?? object, cluster, options);
  const asked = before === undefined ? [] : differencesIn("spec", specOf(before), specOf(object));
  const stalled: Stall = (reason, message) => ({
    kind: "stalled",
    database: key,
    asked,
    reason,
    message,
  });
  const parsed = parseDatabase(object);
  if (!parsed.ok) return stalled("SpecInvalid", parsed.problems.join("; "));
  const judgement = await judge(parsed.database, cluster, found?.upgrade);
  if (judgement.kind === "refused") return refused(judgement.outcome, stalled);
  const rival = found === undefined ? await rivalry(key, rivalsIn(cluster)) : undefined;
  if (rival !== undefined) return stalled("NameConflict", rival);
  return prepareAccepted(
    key,
    { database: parsed.database, desired: judgement.desired, judged: judgement.desired, before, asked },
    {
      ...{ cluster, options, found, stalled },
    },
  );
}

type Stall = (reason: string, message: string) => Prepared;

interface Accepted {
  readonly cluster: Cluster;
  readonly options: PrepareOptions;
  readonly found: StackRecord | undefined;
  readonly stalled: Stall;
}

/** As a reconcile continues with what was judged. */
async function prepareAccepted(key: Key, accepted: Wanted, known: Accepted): Promise<Prepared> {
  const { cluster, options, found, stalled } = known;
  const { database, desired: judged } = accepted;
  const step = await cluster.restoreStep(database);
  if (step.kind === "wait") return refused(step.outcome, stalled);
  const way = await upgradeWay(key, judged, found, {
    at: { ...cluster, backups: { isTold: cluster.isTold } },
    finalizers: database.metadata.finalizers,
  });
  if (way.kind === "refused") return refused(way.outcome, stalled);
  const { record, consequences: upgrade } = way;
  const [look, primary, tls] = await Promise.all([
    lookAtChildren(key, record, stackOf(key), cluster),
    cluster.primary(key),
    tlsBefore(key, judged, record, cluster),
  ]);
  const sized = await sizedOf(key, withRecorded(judged, { record, tls }, cluster.world.catalogue), record, cluster);
  const desired = withRestore(sized, step);
  const intent = { desired, record, look, hasPrimary: primary !== undefined };
  const clearance = await clearanceOf(key, intent, cluster.children);
  if (clearance.kind === "refused") return refused(clearance.outcome, stalled);
  const { began } = tls;
  const more = { found, record, upgrade, look, primary, began };
  return changeOf(key, { ...accepted, desired }, { cluster, options, ...more });
}

const withRestore = (desired: Desired, step: RestoreStep): Desired =>
  step.kind === "copy" ? { ...desired, restore: step.restore } : desired;

const rivalsIn = (cluster: Cluster): Others => ({
  database: (key) => cluster.database(key),
  hasRun: async (key) => (await cluster.records.load(key)) !== undefined,
});

function refused(
  outcome: { readonly kind: string; readonly reason?: string; readonly message?: string },
  stalled: Stall,
): Prepared {
  return stalled(outcome.reason ?? outcome.kind, outcome.message ?? "");
}

interface Wanted {
  readonly database: Database;
  readonly desired: Desired;
  /** Before anything on record was added to it. */
  readonly judged: Desired;
  readonly before: unknown;
  readonly asked: readonly FieldChange[];
}

interface Known {
  readonly cluster: Cluster;
  readonly options: PrepareOptions;
  /** What is on record now. */
  readonly found: StackRecord | undefined;
  /** The same, with the upgrade that would be noted before the run. */
  readonly record: StackRecord | undefined;
  /** What that leads to. */
  readonly upgrade: readonly Consequence[];
  readonly look: Look;
  readonly primary: string | undefined;
  /** Which TLS it has where its spec says nothing. */
  readonly began: ServerTls;
}

async function changeOf(key: Key, wanted: Wanted, known: Known): Promise<PreparedChange> {
  const { cluster, options, found, record, look, upgrade } = known;
  const { desired, database, judged } = wanted;
  const at = portsFor(cluster, options.policies);
  const wish = wishOf(judged, at.digest);
  const [{ circumstances, state: behind }, bare] = await Promise.all([
    circumstancesOf(key, wanted, known),
    programFor(key, desired, cluster),
  ]);
  const { exists } = circumstances;
  const passage = await passageIn(key, { database, record: found, judged }, { ...cluster, ...at });
  const beside = options.isWhole === true ? undefined : await besideIn({ passage, desired, circumstances }, at);
  const kept = beside && { memberTemplate: beside.memberTemplate };
  const program = { ...bare, ...kept };
  const state = { record, look: options.leavesDrift === true ? { ...look, drift: [] } : look };
  const update = await updateOf(key, state, program, cluster.children);
  const adopt = async (): Promise<Request> => ({
    stack: stackOf(key),
    program: { ...program, ...(await cluster.children.claimTemplate(key)) },
    checkpoint: undefined,
  });
  return {
    kind: "change",
    database: key,
    circumstances: { ...circumstances, isRebuilt: exists && update === undefined },
    notes: notesOn({ spec: database.spec, desired: desired.spec, upgrade, look }),
    isHeld: database.spec.paused,
    look,
    request: update ? { ...update, stack: stackOf(key), refresh: options.refresh || update.refresh } : await adopt(),
    adopt,
    found: foundIn(cluster, key, desired),
    asked: wanted.asked,
    ...heldBy(passage, beside?.left),
    ...{ wish, plans: planNumber(found ?? {}, wish) },
    ...behind,
    // that the release is not there yet is told by itself
    ...(beside && { isBehind: false }),
  };
}

/** What a change is held against, and how far what was asked for before has come. Whether the state is rebuilt shows later. */
async function circumstancesOf(
  key: Key,
  wanted: Wanted,
  { cluster, found, record, primary, upgrade, began }: Known,
): Promise<{ readonly circumstances: Circumstances; readonly state: Behind }> {
  const { desired, asked } = wanted;
  const { name, namespace } = desired.owner;
  const present = presentOf(wanted.before);
  const [former, { claimTemplateStorage }, noPlace, noBackupPlace, made] = await Promise.all([
    formerOf(present, found, cluster),
    cluster.children.claimTemplate(key),
    memberPlacement({ name, namespace, spec: desired.spec }, cluster),
    backupPlacement({ name, namespace, spec: desired.spec }, cluster),
    cluster.made(key),
  ]);
  const against = heldAgainst({ former, present, asked, after: desired.spec }, found);
  const exists = claimTemplateStorage !== undefined || record?.declared !== undefined;
  const phase = record?.upgrade?.phase;
  const known = {
    primary,
    exists,
    isRebuilt: false,
    noPlace,
    noBackupPlace,
    made,
    phase,
    upgrade,
    began,
    nextTls: desired.tls,
  };
  return { circumstances: { ...askedOf(wanted), ...against.circumstances, ...known }, state: against.state };
}

type Asked = "name" | "members" | "needsAll" | "isPaused" | "restore";

/** What of the circumstances the Database itself says, as it would be. */
const askedOf = ({ desired, database }: Wanted): Pick<Circumstances, Asked> => ({
  name: desired.owner.name,
  members: desired.spec.replicas,
  needsAll: needsAll(desired.spec),
  isPaused: database.spec.paused,
  restore: desired.restore,
});

/** What would follow from the deletion of `object`, a Database of the cluster. */
export async function prepareDeletion(
  object: unknown,
  cluster: Pick<Cluster, "records" | "lasting" | "namespaceEnds">,
  { refresh }: PrepareOptions,
): Promise<PreparedDeletion> {
  const metadata = metadataOf(object);
  const key = `${metadata.namespace}/${metadata.name}`;
  const [record, lasting, namespaceEnds] = await Promise.all([
    cluster.records.load(key),
    cluster.lasting(key),
    cluster.namespaceEnds(key),
  ]);
  const by = namespaceEnds ? "Namespace" : deletionPolicyOf(object);
  return {
    kind: "deletion",
    database: key,
    notes: deletionNotes({ metadata, by, upgrade: record?.upgrade }),
    plans: record?.plans ?? 0,
    by,
    lasting,
    request: { stack: stackOf(key), program: undefined, checkpoint: record?.checkpoint?.text(), refresh },
  };
}

function specOf(object: unknown): unknown {
  return typeof object === "object" && object !== null && "spec" in object ? object.spec : undefined;
}
