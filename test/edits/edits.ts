// Random edits of a spec, each of one field, such as a person makes on an ordinary day: pure, and the same for the same numbers.
import { valueOf } from "../../operator/api/quantity";
import { DeletionPolicy, type DatabaseSpecInput } from "../../operator/api/spec";
import { SuperuserAccess } from "../../operator/api/superuser-access";
import type { Grounds, Sizes } from "./grounds";
import { databaseDefaults, synchronousDefaults } from "../../contract/defaults";
import { factsOf } from "../../contract/engines";
import { serverTlsModes } from "../../contract/tls";
import type { Random } from "./random";

/** A spec as a person writes it. */
export type Spec = DatabaseSpecInput;

/** What a person does to a spec. */
export interface Edit {
  /** Of the spec, such as `backup.retention`. */
  readonly field: Field;
  /** What is applied. */
  readonly spec: Spec;
}

interface Choice {
  readonly random: Random;
  readonly grounds: Grounds;
}

/** The spec with another value of the field; undefined where there is none, or the same again where chance has it. */
type Change = (spec: Spec, by: Choice) => Spec | undefined;

/** One of `values`, or nothing, which leaves the field out. */
const oneOrNone = <T>(random: Random, values: readonly T[]): T | undefined =>
  random.happens(0.2) ? undefined : random.oneOf(values);

/** `fields` without those that are undefined: a person leaves them out. */
function written<T extends object>(fields: T): T {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

const withBackup = (spec: Spec, fields: Partial<NonNullable<Spec["backup"]>>): Spec => ({
  ...spec,
  backup: written({ ...spec.backup, ...fields }),
});

type Drills = NonNullable<NonNullable<Spec["backup"]>["verify"]>;

/** Undefined where this engine's drills ask no queries. */
function withDrills(spec: Spec, { engine }: Grounds, fields: Partial<Drills>): Spec | undefined {
  if ("queries" in fields && factsOf(engine).drillsAsk === "nothing") return undefined;
  const verify = written({ ...spec.backup?.verify, ...fields });
  return withBackup(spec, { verify: Object.keys(verify).length === 0 ? undefined : verify });
}

const withMonitoring = (spec: Spec, fields: Partial<NonNullable<Spec["monitoring"]>>): Spec => ({
  ...spec,
  monitoring: written({ ...spec.monitoring, ...fields }),
});

type Synchronous = NonNullable<NonNullable<Spec["highAvailability"]>["synchronous"]>;

/** Undefined where commits of this Database cannot be configured how to wait. */
function withSynchronous(spec: Spec, fields: Partial<Synchronous>): Spec | undefined {
  const { engine, replicas, highAvailability } = spec;
  if (factsOf(engine).commits !== "as set" || replicas === 1 || highAvailability?.synchronousCommit !== true)
    return undefined;
  const synchronous = written({ ...highAvailability.synchronous, ...fields });
  const isNone = Object.keys(synchronous).length === 0;
  return { ...spec, highAvailability: written({ ...highAvailability, synchronous: isNone ? undefined : synchronous }) };
}

const gibibytes = (size: string): number => Number.parseInt(size, 10);
const defaultStorage = "10Gi";
const storageOf = ({ storage = defaultStorage }: Spec): string => storage;
const backupSizeOf = (spec: Spec): string => spec.backup?.destination?.volume?.size ?? storageOf(spec);

const labels: readonly Record<string, string>[] = [{ release: "prometheus" }, { release: "kps", team: "data" }];

/** Edits by the field that they are of. */
const changes = {
  version: (spec, { grounds: { versions } }) => {
    const next = versions[versions.indexOf(spec.version) + 1];
    return next === undefined ? undefined : { ...spec, version: next };
  },
  replicas: (spec, { random, grounds }) => {
    const synchronous = spec.highAvailability?.synchronous;
    const others = synchronous === undefined ? 0 : (synchronous.members ?? synchronousDefaults.members);
    return { ...spec, replicas: random.oneOf(grounds.replicas.filter((replicas) => replicas > others)) };
  },
  // up to where it may grow by itself: that would have to be raised first
  storage: (spec) => {
    const storage = `${gibibytes(storageOf(spec)) + 1}Gi`;
    const { storageAutoGrow } = spec;
    const isLess = storageAutoGrow !== undefined && gibibytes(storageAutoGrow.maxSize) < gibibytes(storage);
    return isLess ? undefined : { ...spec, storage };
  },
  "storageAutoGrow.maxSize": (spec, { random }) => {
    const more = oneOrNone(random, [0, 5, 50]);
    const maxSize = more === undefined ? undefined : `${gibibytes(storageOf(spec)) + more}Gi`;
    return written({ ...spec, storageAutoGrow: maxSize === undefined ? undefined : { maxSize } });
  },
  config: (spec, { random, grounds }) => {
    const [name, values] = random.oneOf(Object.entries(grounds.parameters)) ?? [];
    if (name === undefined || values === undefined) return undefined;
    const value = oneOrNone(random, values);
    return { ...spec, config: written({ ...spec.config, [name]: value }) as Record<string, string> };
  },
  "configFrom.name": (spec, { random, grounds }) => {
    const name = oneOrNone(random, grounds.configMaps);
    return written({ ...spec, configFrom: name === undefined ? undefined : { name } });
  },
  "resources.requests.cpu": (spec, by) => withSize(spec, ["requests", "cpu"], by),
  "resources.requests.memory": (spec, by) => withSize(spec, ["requests", "memory"], by),
  "resources.limits.cpu": (spec, by) => withSize(spec, ["limits", "cpu"], by),
  "resources.limits.memory": (spec, by) => withSize(spec, ["limits", "memory"], by),
  "highAvailability.synchronousCommit": (spec, { random }) =>
    // how commits wait has to be taken out first
    spec.highAvailability?.synchronous === undefined
      ? { ...spec, highAvailability: { synchronousCommit: random.happens(0.5) } }
      : undefined,
  "highAvailability.synchronous.members": (spec, { random }) => {
    const numbers = [1, 2, 3, 4].filter((members) => members < (spec.replicas ?? databaseDefaults.replicas));
    return withSynchronous(spec, { members: oneOrNone(random, numbers) });
  },
  "highAvailability.synchronous.strict": (spec, { random }) =>
    withSynchronous(spec, { strict: oneOrNone(random, [true, false]) }),
  "backup.enabled": (spec, { random }) => {
    const enabled = spec.deletionPolicy === "Snapshot" || random.happens(0.5);
    // drills of no backups have to be switched off first
    return !enabled && spec.backup?.verify?.enabled === true ? undefined : withBackup(spec, { enabled });
  },
  "backup.schedule": (spec, { random }) =>
    withBackup(spec, { schedule: oneOrNone(random, ["30 1 * * *", "0 4 * * 0", "15 3 1 * *"]) }),
  "backup.retention": (spec, { random }) => withBackup(spec, { retention: oneOrNone(random, [3, 5, 14]) }),
  "backup.destination.volume.size": (spec, { random }) => {
    const least = Math.max(gibibytes(backupSizeOf(spec)), gibibytes(storageOf(spec)));
    const size = random.happens(0.5) || gibibytes(storageOf(spec)) < least ? `${least + 1}Gi` : undefined;
    const volume = written({ ...spec.backup?.destination?.volume, size });
    return withBackup(spec, { destination: { volume } });
  },
  "backup.verify.enabled": (spec, { random, grounds }) =>
    withDrills(spec, grounds, { enabled: spec.backup?.enabled === false ? false : oneOrNone(random, [true, false]) }),
  "backup.verify.schedule": (spec, { random, grounds }) =>
    withDrills(spec, grounds, { schedule: oneOrNone(random, ["0 5 * * 6", "45 23 1 * *"]) }),
  "backup.verify.timeoutMinutes": (spec, { random, grounds }) =>
    withDrills(spec, grounds, { timeoutMinutes: oneOrNone(random, [30, 480]) }),
  "backup.verify.queries": (spec, { random, grounds }) =>
    withDrills(spec, grounds, { queries: oneOrNone(random, [[], [{ name: "one", sql: "SELECT 1", expect: "1" }]]) }),
  "backup.pointInTime.enabled": (spec, { random, grounds: { engine } }) => {
    const enabled = oneOrNone(random, [true, false]);
    if (!factsOf(engine).keepsChanges.includes("on the backup volume")) return undefined;
    return withBackup(spec, { pointInTime: enabled === undefined ? undefined : { enabled } });
  },
  "monitoring.enabled": (spec, { random }) => withMonitoring(spec, { enabled: random.happens(0.5) }),
  "monitoring.labels": (spec, { random }) => withMonitoring(spec, { labels: oneOrNone(random, labels) }),
  superuserAccess: (spec, { random, grounds: { engine } }) =>
    factsOf(engine).superuser.isClosable
      ? written({ ...spec, superuserAccess: oneOrNone(random, SuperuserAccess.options) })
      : undefined,
  "tls.mode": (spec, { random, grounds: { engine } }) => {
    if (!factsOf(engine).canHaveTls) return undefined;
    const mode = random.oneOf([...serverTlsModes, undefined]);
    return written({ ...spec, tls: mode === undefined ? undefined : { mode } });
  },
  deletionPolicy: (spec, { random }) => {
    const policies = DeletionPolicy.options.filter((one) => one !== "Snapshot" || spec.backup?.enabled !== false);
    return { ...spec, deletionPolicy: random.oneOf(policies) };
  },
  paused: (spec) => ({ ...spec, paused: spec.paused !== true }),
} as const satisfies Readonly<Record<string, Change>>;

/** A field that is edited. */
export type Field = keyof typeof changes;

const isField = (text: string): text is Field => Object.hasOwn(changes, text);
export const fields: readonly Field[] = Object.keys(changes).filter(isField);

const s3Fields = ["bucket", "prefix", "endpoint", "region", "pathStyle", "credentials.name", "ca.name"];

/** Fields of where pods run, what they carry, and how clients reach them. */
const placed = [
  ...["nodeSelector", "tolerations", "priorityClassName", "antiAffinity.type", "antiAffinity.topologyKey"],
  ...["required", "preferred"].map((how) => `nodeAffinity.${how}DuringSchedulingIgnoredDuringExecution`),
]
  .map((field) => `placement.${field.replace(/(required.*)/, "$1.nodeSelectorTerms")}`)
  .concat(
    ["podMetadata", "services.readWrite", "services.readOnly", "services.any"].flatMap((part) => [
      `${part}.labels`,
      `${part}.annotations`,
    ]),
    ["readWrite", "readOnly", "any"].flatMap((service) => [
      `services.${service}.type`,
      `services.${service}.loadBalancerSourceRanges`,
    ]),
    "imagePullSecrets",
  );

/** Fields that are not edited, each with the reason. */
export const fixedFields: Readonly<Record<string, string>> = {
  engine: "cannot be changed",
  "changePolicy.requireApproval": "has edits wait, which these tests see carried out",
  "changePolicy.windows": "has edits wait, which these tests see carried out",
  ...Object.fromEntries(placed.map((field) => [field, "is tried by cluster/placement, on nodes that differ"])),
  "upgrade.confirmed": "decides about a major upgrade, which these edits do without",
  storageClass: "cannot be changed, added or removed",
  "backup.destination.volume.storageClass": "cannot be changed, added or removed",
  "restore.from.name": "cannot be changed or added",
  "restore.backup.name": "cannot be changed or added",
  "restore.volume.claim.name": "cannot be changed or added",
  "restore.volume.label": "cannot be changed or added",
  "restore.pointInTime": "cannot be changed or added",
  ...Object.fromEntries(
    [...s3Fields, "cluster", "label", "encryption.secret.name"].map((field) => [
      `restore.s3.${field}`,
      "cannot be changed or added",
    ]),
  ),
  ...Object.fromEntries(
    ["host", "port", "databases", "credentials.name", "tls.mode", "tls.ca.name"].map((field) => [
      `initFrom.${field}`,
      "cannot be changed or added",
    ]),
  ),
  ...Object.fromEntries(
    [
      ...s3Fields.map((field) => `destination.s3.${field}`),
      ...["fullEvery", "pointInTime.everySeconds", "encryption.secret.name"],
    ].map((field) => [`backup.${field}`, "needs object storage, which these clusters do without"]),
  ),
};

type Place = readonly ["requests" | "limits", "cpu" | "memory"];

/** A size of what is asked for or allowed, and the other one of the two so that they fit. */
function withSize(spec: Spec, [list, name]: Place, { random, grounds }: Choice): Spec {
  const sizes = grounds[name];
  const isRequest = list === "requests";
  const size = sizeFor(list, sizes, random);
  const other = isRequest ? "limits" : "requests";
  const former = spec.resources?.[other]?.[name];
  const isKept = isRequest ? fits(size, former, sizes) : fits(former, size, sizes);
  const fitting = isRequest ? size : sizes.usual[0];
  const resources = written({
    ...spec.resources,
    [list]: written({ ...spec.resources?.[list], [name]: size }),
    [other]: written({ ...spec.resources?.[other], [name]: isKept ? former : fitting }),
  });
  return { ...spec, resources };
}

function sizeFor(list: Place[0], sizes: Sizes, random: Random): string | undefined {
  if (list === "requests" && random.happens(0.2)) return random.oneOf(sizes.impossible);
  const choices = list === "requests" ? sizes.usual : (sizes.limits ?? sizes.usual);
  return sizes.isAlwaysGiven ? random.oneOf(choices) : oneOrNone(random, choices);
}

/** Whether a request fits into a limit. Of a limit alone as much is asked for: one that no node has does not stay behind. */
function fits(request: string | undefined, limit: string | undefined, sizes: Sizes): boolean {
  if (request !== undefined && limit !== undefined) return valueOf(request) <= valueOf(limit);
  return !isBeyond(request ?? limit, sizes) || limit === undefined;
}

const isBeyond = (size: string | undefined, { impossible }: Sizes): boolean =>
  size !== undefined && impossible.includes(size);

/** Whether no node has room for a member. */
export function isImpossible({ resources }: Spec, grounds: Grounds): boolean {
  return (["cpu", "memory"] as const).some((name) =>
    isBeyond(resources?.requests?.[name] ?? resources?.limits?.[name], grounds[name]),
  );
}

/** A spec before its first edit. */
export function firstSpec({ engine, versions, replicas, first }: Grounds): Spec {
  const [version = ""] = versions;
  return { engine, version, replicas: Math.max(...replicas), storage: "1Gi", deletionPolicy: "Delete", ...first };
}

/** The next edit; it changes something. */
export function editOf(spec: Spec, random: Random, grounds: Grounds): Edit {
  for (;;) {
    const field = fieldOf(spec, random, grounds);
    const edited = changes[field](spec, { random, grounds });
    if (edited !== undefined && JSON.stringify(edited) !== JSON.stringify(spec)) return { field, spec: edited };
  }
}

/** Any; but the user soon ends a pause, and takes back what no node has room for. */
function fieldOf(spec: Spec, random: Random, grounds: Grounds): Field {
  if (spec.paused === true && random.happens(0.5)) return "paused";
  if (isImpossible(spec, grounds) && random.happens(0.4))
    return random.happens(0.5) ? "resources.requests.memory" : "resources.requests.cpu";
  return random.oneOf(fields) ?? "paused";
}
