// What can be judged of a change only by other objects: the catalogue, the ConfigMap of configFrom, StorageClasses. The API server's own
// rules say all the rest. The reconcile judges again, by the same functions: a webhook that is not there has let everything through.
import type { Catalogue } from "../api/catalogue";
import { fitsIn } from "../api/quantity";
import { neverRuns } from "../api/schedule";
import type { DatabaseSpec } from "../api/spec";
import { backupClaimName, dataClaimName } from "../../components/naming";
import { memberPlacement } from "../placement/members";
import { limitProblems, sourceMissing, sourceOf, versionProblem } from "../reconcile/judge";
import type { Key } from "../domain/key";
import type { Engines } from "../domain/engines";
import { rivalry } from "../reconcile/rival";
import type { Placement, ReadConfigSource, Volumes } from "../domain/ports";
import type { ReadSecretKeys } from "../domain/storage-secrets";
import type { TellConsequences } from "./consequences";
import { restoreWarnings, storageWarnings } from "./object-storage";
import type { Verdict } from "./review";
import { openWarnings } from "./open-ranges";
import { importWarnings } from "./source-server";
import { leftVolumeText } from "../reconcile/upgrade-texts";
import { isOfUpgrade, leftBy, runsMeanwhile, upgradeProblems, upgradeWarnings, type Ran, type Step } from "./upgrade";

/** A change of a Database; `before` is undefined where it is created. */
export interface Change {
  readonly namespace: string;
  readonly name: string;
  readonly before: DatabaseSpec | undefined;
  readonly after: DatabaseSpec;
  /** What its status said before. Default: nothing. */
  readonly ran?: Ran;
}

/** What is read of the cluster. Nothing is written: a dry run asks, too. */
export interface AdmissionReads {
  /** Undefined until it is known. */
  readonly catalogue: () => Catalogue | undefined;
  readonly engines: Engines;
  readonly configSource: ReadConfigSource;
  readonly volumes: Pick<Volumes, "canGrow" | "classOf" | "isKept">;
  readonly placement: Placement;
  readonly secretKeys: ReadSecretKeys;
  /** Undefined where there is none, or it is not known yet. */
  readonly database: (key: Key) => unknown;
  /** Default: of consequences no one is warned. */
  readonly consequences?: {
    readonly tell: TellConsequences;
    /** How long after the change came it may be told: its author waits, in milliseconds. */
    readonly withinMs: number;
  };
}

/** Judges what the change touches, and nothing else: what has become wrong since must not hold up the rest. */
export async function verdictOn(change: Change, at: AdmissionReads): Promise<Verdict> {
  const judged = await Promise.all([
    rivalName(change, at),
    parameters(change, at),
    growth(change, at),
    namedClass(change, at),
    room(change, at),
    objectStorage(change, at),
    rehearsal(change, at),
  ]);
  return {
    problems: [
      ...versions(change, at),
      ...upgrades(change, at),
      ...limits(change, at),
      ...judged.flatMap(({ problems = [] }) => problems),
    ],
    warnings: [...judged.flatMap(({ warnings = [] }) => warnings), ...risks(change, at)],
  };
}

type Part = Partial<Verdict>;

/** Whether one of these is new, or not as it was. */
function changes({ before, after }: Change, ...fields: readonly (keyof DatabaseSpec)[]): boolean {
  if (before === undefined) return true;
  return fields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
}

function versions(change: Change, at: AdmissionReads): readonly string[] {
  const catalogue = at.catalogue();
  if (catalogue === undefined || !changes(change, "engine", "version")) return [];
  if (isOfUpgrade(change.ran ?? {}, change.after.version)) return [];
  const problem = versionProblem(change.after, catalogue);
  return problem === undefined ? [] : [`spec.version: ${problem}`];
}

const stepOf = ({ name, before, after, ran = {} }: Change): Step | undefined => before && { name, before, after, ran };

function upgrades(change: Change, at: AdmissionReads): readonly string[] {
  const step = stepOf(change);
  return step === undefined ? [] : upgradeProblems(step, at.catalogue());
}

/** A volume that is left behind for a rehearsal is no reason to refuse it. */
async function rehearsal(change: Change, { volumes }: AdmissionReads): Promise<Part> {
  const { namespace, name, after } = change;
  const step = stepOf(change);
  if (step === undefined || leftBy(step) === undefined) return {};
  const isKept = await volumes.isKept({ namespace, claim: dataClaimName(name, 0), storageClass: after.storageClass });
  return isKept ? { warnings: [`spec.version: ${leftVolumeText}`] } : {};
}

function ofUpgrade(change: Change): readonly string[] {
  const step = stepOf(change);
  return step === undefined ? [] : upgradeWarnings(step);
}

/** Only where it is created: of two that are there the reconcile holds one back. */
async function rivalName({ namespace, name, before }: Change, { database }: AdmissionReads): Promise<Part> {
  const problem =
    before === undefined ? await rivalry(`${namespace}/${name}`, { database, hasRun: () => true }) : undefined;
  return problem === undefined ? {} : { problems: [`metadata.name: ${problem}`] };
}

/** What the server in the version's image cannot do. A configFrom may change later: what is in it is judged then. */
function limits(change: Change, at: AdmissionReads): readonly string[] {
  const { after } = change;
  const entry = at.catalogue()?.[after.engine]?.[after.version];
  if (entry === undefined || !changes(change, "engine", "version", "replicas", "config")) return [];
  return limitProblems(after, after.config ?? {}, entry);
}

async function parameters(change: Change, at: AdmissionReads): Promise<Part> {
  const isOther = changes(change, "version", "config", "configFrom");
  const { namespace, before, after } = change;
  if (!isOther && memoryLimitOf(before) === memoryLimitOf(after)) return {};
  const source = await sourceOf(namespace, after, at);
  const { engine } = after;
  const step = stepOf(change);
  const former = step && runsMeanwhile(step);
  const versions = former === undefined ? [after.version] : [after.version, former];
  const isMissing = isOther && source === undefined;
  const warnings = isMissing ? [`${sourceMissing(namespace, after)}: until then nothing is done`] : [];
  const problemsOf = (config: Readonly<Record<string, string>>): readonly string[] => [
    ...(isOther ? versions : []).flatMap((version) =>
      at.engines.parameterProblems({ engine, version }, config, at.catalogue()?.[engine]?.[version]),
    ),
    ...at.engines.memoryProblems(after, config),
  ];
  const own = [...new Set(problemsOf(after.config ?? {}))];
  const all = [...new Set(problemsOf({ ...source, ...after.config }))];
  const shared = all.filter((problem) => !own.includes(problem));
  const where = `spec.configFrom (ConfigMap ${after.configFrom?.name ?? ""})`;
  return {
    problems: [...own.map((problem) => `spec.config: ${problem}`), ...shared.map((problem) => `${where}: ${problem}`)],
    warnings,
  };
}

const memoryLimitOf = (spec: DatabaseSpec | undefined): string | undefined => spec?.resources?.limits?.["memory"];

/** A volume whose class lets none grow would stay as it is, and every later change of the Database with it. */
async function growth({ namespace, name, before, after }: Change, at: AdmissionReads): Promise<Part> {
  if (before === undefined) return {};
  const volumes = [
    { field: "spec.storage", claim: dataClaimName(name, 0), from: before.storage, to: after.storage },
    ...(hasVolume(before) && hasVolume(after)
      ? [{ field: "spec.backup", claim: backupClaimName(name), from: backupSize(before), to: backupSize(after) }]
      : []),
  ];
  const problems = volumes
    .filter(({ from, to }) => !fitsIn(to, from))
    .map(async ({ field, claim, from }) => {
      const storageClass = await at.volumes.classOf(namespace, claim);
      if (storageClass === undefined || (await at.volumes.canGrow(storageClass)) !== false) return [];
      return [
        `${field}: StorageClass ${storageClass} does not let volumes grow: leave the volume at ${from}, or have allowVolumeExpansion: true set on the class`,
      ];
    });
  return { problems: (await Promise.all(problems)).flat() };
}

const hasVolume = ({ backup }: DatabaseSpec): boolean => backup.destination?.s3 === undefined;

const backupSize = ({ backup, storage }: DatabaseSpec): string => backup.destination?.volume?.size ?? storage;

/** It cannot be changed afterwards: a slip of the pen costs a Database. */
async function namedClass({ before, after }: Change, at: AdmissionReads): Promise<Part> {
  const { storageClass } = after;
  if (before !== undefined || storageClass === undefined) return {};
  if ((await at.volumes.canGrow(storageClass)) !== undefined) return {};
  return {
    warnings: [
      `spec.storageClass: there is no StorageClass ${storageClass} yet; the volumes wait for it, and the field is immutable`,
    ],
  };
}

async function objectStorage(change: Change, at: AdmissionReads): Promise<Part> {
  const { namespace, after } = change;
  return {
    warnings: [
      ...(changes(change, "backup") ? await storageWarnings(namespace, after, at.secretKeys) : []),
      ...(changes(change, "restore") ? await restoreWarnings(namespace, after, at.secretKeys) : []),
      ...(changes(change, "initFrom") ? await importWarnings(namespace, after, at.secretKeys) : []),
    ],
  };
}

/** Where no node could take a member: a new one stays Pending, and those that run are left alone. */
async function room(change: Change, at: AdmissionReads): Promise<Part> {
  if (!changes(change, "resources", "replicas", "placement")) return {};
  const { namespace, name, after } = change;
  const problem = await memberPlacement({ namespace, name, spec: after }, at);
  if (problem === undefined) return {};
  const isPlaced = after.placement !== undefined && changes(change, "placement");
  return {
    warnings: [
      isPlaced
        ? `spec.placement: ${problem}; until that changes no member restarts, new ones and those that are lost wait, and so do Jobs, backups included`
        : `spec.resources: ${problem}; members wait until that changes`,
    ],
  };
}

/** What is allowed, and may cost more than its author thinks. */
function risks(change: Change, at: AdmissionReads): readonly string[] {
  return [
    ...ofUpgrade(change),
    ...(changes(change, "replicas") ? ofMembers(change, at) : []),
    ...ofCommits(change),
    ...ofData(change),
    ...ofSchedule(change),
    ...openWarnings(change.before, change.after),
  ];
}

function ofMembers({ after: { engine, replicas } }: Change, { engines }: AdmissionReads): readonly string[] {
  const isVoting = engines.electedBy(engine) === "majority";
  if (replicas === 1) {
    const enough = isVoting ? 3 : 2;
    return [
      `spec.replicas: with 1 there is no failover, and a restart interrupts service; write ${enough} or more to avoid it`,
    ];
  }
  return isVoting && replicas % 2 === 0
    ? [
        `spec.replicas: ${replicas} members tolerate no more failures than ${replicas - 1}, as more than half must be left; write an odd number`,
      ]
    : [];
}

function ofCommits(change: Change): readonly string[] {
  if (!changes(change, "replicas", "highAvailability")) return [];
  const { replicas, highAvailability } = change.after;
  const { synchronousCommit, synchronous } = highAvailability;
  return [
    ...(replicas === 1 && synchronousCommit
      ? ["spec.highAvailability.synchronousCommit: has no effect with 1 replica; write 2 or more"]
      : []),
    ...(replicas === 2 && synchronous?.strict === true
      ? [
          "spec.highAvailability.synchronous.strict: with 2 replicas commits wait whenever either restarts or is down; write 3 replicas or more to avoid it",
        ]
      : []),
  ];
}

function ofData(change: Change): readonly string[] {
  const { backup, deletionPolicy } = change.after;
  const isBare = !backup.enabled && deletionPolicy === "Delete";
  return isBare && changes(change, "backup", "deletionPolicy")
    ? [
        "spec.deletionPolicy: without backups, deleting this Database destroys its data permanently; write Retain to keep it",
      ]
    : [];
}

function ofSchedule(change: Change): readonly string[] {
  const { enabled, schedule } = change.after.backup;
  return enabled && changes(change, "backup") && neverRuns(schedule)
    ? ["spec.backup.schedule: none of its months has such a day, so only the first backup is ever taken"]
    : [];
}
