// Which children a Database has: written down a second time, from the promises in docs/ and not from the operator.
import { samples } from "../../engines/all";
import type { DatabaseView } from "./snapshot";

/** What one child must be like. */
export interface ExpectedChild {
  readonly kind: string;
  readonly name: string;
  /** Whether it outlives its Database, and so must have no owner. */
  readonly lasting: boolean;
}

const most = 10;
const ordinals = (count: number): number[] => Array.from({ length: count }, (_, ordinal) => ordinal);
const child = (kind: string, ...names: string[]): ExpectedChild[] =>
  names.map((name) => ({ kind, name, lasting: false }));
const lasting = (kind: string, ...names: string[]): ExpectedChild[] =>
  names.map((name) => ({ kind, name, lasting: true }));

/** The children of a Database whose spec has been applied. */
export function expectedChildren(database: DatabaseView, serviceMonitors: boolean): readonly ExpectedChild[] {
  const { name, spec } = database;
  return [
    ...constant(name),
    ...child("Job", `${name}-init`),
    ...(spec.replicas > 1 ? child("PodDisruptionBudget", name) : []),
    ...(spec.backup ? takingBackups(name, spec) : []),
    ...(spec.monitoring && serviceMonitors ? child("ServiceMonitor", name) : []),
    ...configMaps(name, consensus[spec.engine] ?? []),
    ...lasting("Secret", `${name}-credentials`, `${name}-system`),
    ...(spec.tls ? lasting("Secret", `${name}-server-tls`, `${name}-ca`) : []),
    ...lasting("PersistentVolumeClaim", ...ordinals(spec.replicas).map((ordinal) => `data-${name}-${ordinal}`)),
    ...(spec.backup ? whereBackupsAre(name, spec) : []),
  ];
}

/** What takes backups, tries them, and keeps the changes behind them where they go to a volume. */
const takingBackups = (name: string, spec: DatabaseView["spec"]): ExpectedChild[] => [
  ...child("CronJob", `${name}-backup`),
  ...child("Job", `${name}-backup-first`),
  ...(spec.drills ? child("CronJob", `${name}-verify`) : []),
  ...(spec.archived && !spec.backupsElsewhere ? child("Deployment", `${name}-archive`) : []),
];

/** What every Database has, and what goes with it. */
const constant = (name: string): ExpectedChild[] => [
  ...child("StatefulSet", name),
  ...child("Service", name, `${name}-ro`, `${name}-any`, `${name}-headless`),
  ...child("ServiceAccount", name, `${name}.jobs`),
  ...child("Role", name),
  ...child("RoleBinding", name),
  ...child("NetworkPolicy", name),
];

/** In what the consensus of an engine keeps its state. */
const consensus: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(samples).map(([engine, { consensusObjects }]) => [engine, consensusObjects]),
);

const configMaps = (name: string, objects: readonly string[]): ExpectedChild[] =>
  lasting("ConfigMap", `${name}-config`, ...objects.map((object) => `${name}-${object}`));

/** The volume of the backups, where they do not go elsewhere, and which of them are kept beyond retention. */
const ofBackups = (name: string, elsewhere = false): ExpectedChild[] => [
  ...(!elsewhere ? lasting("PersistentVolumeClaim", `${name}-backup`) : []),
  ...lasting("ConfigMap", `${name}-backup`),
];

/** The same, and the volume on which Jobs make backups that go elsewhere. */
const whereBackupsAre = (name: string, { engine, backupsElsewhere }: DatabaseView["spec"]): ExpectedChild[] => [
  ...ofBackups(name, backupsElsewhere),
  ...(backupsElsewhere && engine === "mysql" ? staging(name) : []),
];

const staging = (name: string): ExpectedChild[] => child("PersistentVolumeClaim", `${name}-backup-staging`);

/** ConfigMaps in which the members of a Database of this name may keep what they agree on. */
export const consensusNames = (name: string): readonly string[] =>
  Object.values(consensus)
    .flat()
    .map((object) => `${name}-${object}`);

/** What may remain of a Database, or of a former size of it: data, passwords and what its consensus remembers. */
export function lastingChildren(name: string): readonly ExpectedChild[] {
  return [
    ...configMaps(name, Object.values(consensus).flat()),
    ...lasting("Secret", `${name}-credentials`, `${name}-system`, `${name}-server-tls`, `${name}-ca`),
    ...lasting("PersistentVolumeClaim", ...ordinals(most).map((ordinal) => `data-${name}-${ordinal}`)),
    ...ofBackups(name),
  ];
}

/** Every child that a Database of this name can have under any spec. */
export function possibleChildren(name: string): readonly ExpectedChild[] {
  return [
    ...constant(name),
    ...child("PodDisruptionBudget", name),
    ...child("CronJob", `${name}-backup`, `${name}-verify`),
    ...child("Deployment", `${name}-archive`),
    ...child(
      "Job",
      `${name}-init`,
      `${name}-restore`,
      `${name}-import`,
      `${name}-upgrade`,
      `${name}-backup-first`,
      `${name}-backup-final`,
    ),
    ...staging(name),
    ...child("ServiceMonitor", name),
    ...lastingChildren(name),
  ];
}
