// One bad (or just odd) input: an object, and which door must answer for it.
import type { StalledReason } from "../../operator/api/reasons";

/** A Database as a user writes it: nothing about its fields is known. */
export interface Written {
  readonly name: string;
  readonly spec: unknown;
}

/** Who answers: the API server before the object is stored, or the operator once it is. */
export type Door =
  /** Refused at admission; the message names the field and says what to write. */
  | { readonly kind: "refused"; readonly says: readonly string[]; readonly parserToo: boolean }
  /** Stored, and then it works, or the operator stalls with this reason. */
  | { readonly kind: "accepted"; readonly then: "works" | StalledReason };

export interface Entry {
  readonly title: string;
  /** The field that is bad, as the API server writes it. */
  readonly path: string;
  readonly written: Written;
  readonly door: Door;
}

/** A complete spec but for what needs `completeOfSeveral`, so that only one thing is bad at a time. */
export const complete = {
  engine: "postgresql",
  version: "17.6",
  replicas: 1,
  storage: "10Gi",
  // as much as there may be, so that no storage is too much
  storageAutoGrow: { maxSize: "1048576Gi" },
  storageClass: "standard",
  config: { log_line_prefix: "%m " },
  configFrom: { name: "tuning" },
  resources: { requests: { cpu: "100m", memory: "512Mi" }, limits: { cpu: "2", memory: "1Gi" } },
  highAvailability: { synchronousCommit: false },
  backup: {
    enabled: true,
    schedule: "0 2 * * *",
    retention: 7,
    destination: { volume: { size: "20Gi", storageClass: "standard" } },
  },
  monitoring: { enabled: true, labels: { release: "kps" } },
  deletionPolicy: "Retain",
  paused: false,
};

/** The same with as many members as there may be, for fields that a single member cannot have. */
export const completeOfSeveral = {
  ...complete,
  replicas: 10,
  highAvailability: { synchronousCommit: true, synchronous: { members: 1, strict: false } },
};

const s3 = {
  ...{ bucket: "backups", prefix: "prod", endpoint: "https://s3.example.com", region: "eu-1", pathStyle: false },
  ...{ credentials: { name: "s3" }, ca: { name: "s3-ca" } },
};

/** The same with object storage in place of the volume. */
export const completeWithS3 = { ...complete, backup: { ...complete.backup, destination: { s3 } } };

/** And with what only goes with that. */
export const completeWithArchive = {
  ...completeWithS3,
  backup: {
    ...completeWithS3.backup,
    fullEvery: 7,
    pointInTime: { everySeconds: 60 },
    encryption: { secret: { name: "s3" } },
  },
};

/** The same with all that is said of restore drills. */
export const completeWithDrills = {
  ...complete,
  backup: {
    ...complete.backup,
    verify: {
      ...{ enabled: true, schedule: "0 5 * * 6", timeoutMinutes: 30 },
      queries: [{ name: "orders", sql: "SELECT count(*) FROM orders", expect: "3" }],
    },
  },
};

/** The same with a policy of its changes. */
export const completeWithPolicy = {
  ...complete,
  changePolicy: {
    requireApproval: ["DataLoss"],
    windows: [{ schedule: "0 2 * * SUN", duration: "2h", timeZone: "Europe/Berlin", effects: ["RollingRestart"] }],
  },
};

/** And with the data of a backup: one of several ways to say of which. */
const completeFrom = { ...complete, restore: { from: { name: "orders" } } };
const completeOf = { ...complete, restore: { backup: { name: "before-migration" } } };
const completeFromS3 = {
  ...complete,
  restore: {
    s3: {
      ...{ ...s3, prefix: "prod/shop/orders", encryption: { secret: { name: "s3" } } },
      ...{ cluster: "7712239138577085226", label: "20261121-020003F" },
    },
  },
};
const completeFromVolume = {
  ...complete,
  restore: { volume: { claim: { name: "orders-backup" }, label: "orders-20261121T020003Z" } },
};
const completeToMoment = { ...complete, restore: { from: { name: "orders" }, pointInTime: "2026-11-25T08:34:00Z" } };

const expressionsWith = (operator: string, values?: readonly string[]): unknown => [
  { key: "zone", operator, ...(values !== undefined && { values }) },
];
const affinityOf = (matchExpressions: unknown): unknown => ({
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions } }],
});
const servicesOf = (service: unknown): unknown => ({ readWrite: service, readOnly: service, any: service });
const carried = { labels: { team: "data" }, annotations: { note: "orders" } };

/** The same with all that is said of where its pods run, what they carry, and how clients reach them. */
export const completeWithPlacement = {
  ...complete,
  placement: {
    nodeSelector: { disk: "ssd" },
    tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoExecute" }],
    nodeAffinity: affinityOf(expressionsWith("In", ["1"])),
    antiAffinity: { type: "Preferred", topologyKey: "kubernetes.io/hostname" },
    priorityClassName: "important",
  },
  podMetadata: carried,
  imagePullSecrets: [{ name: "registry" }],
  services: servicesOf({ type: "LoadBalancer", loadBalancerSourceRanges: ["203.0.113.0/24"], ...carried }),
};
/** The same where fields that go together are not all there. */
const placedWith = (placement: object): unknown => ({
  ...completeWithPlacement,
  placement: { ...completeWithPlacement.placement, ...placement },
});
const withValues = placedWith({ nodeAffinity: affinityOf(expressionsWith("Exists")) });
const withEqual = placedWith({ tolerations: [{ key: "dedicated", operator: "Equal" }] });
const inside = { ...completeWithPlacement, services: servicesOf({ type: "ClusterIP", ...carried }) };

/** And with the data of a server elsewhere. */
export const completeFromServer = {
  ...complete,
  initFrom: {
    ...{ host: "old-db", port: 5432, databases: ["shop"], credentials: { name: "old-db" } },
    tls: { mode: "Verify", ca: { name: "old-db-ca" } },
  },
};

/** Fields that are one of several, of which there must be one. */
export const oneOfSeveral: ReadonlySet<string> = new Set([
  "spec.restore.from",
  "spec.restore.backup",
  "spec.restore.s3",
  "spec.restore.volume",
]);

/** Fields that a single member cannot have. */
const ofSeveral = "spec.highAvailability.synchronous";

const bases: readonly (readonly [field: string, base: unknown])[] = [
  [ofSeveral, completeOfSeveral],
  ["spec.backup.destination.s3", completeWithS3],
  ["spec.backup.fullEvery", completeWithArchive],
  ["spec.backup.pointInTime", completeWithArchive],
  ["spec.backup.encryption", completeWithArchive],
  ["spec.backup.verify", completeWithDrills],
  ["spec.changePolicy", completeWithPolicy],
  ["spec.restore.from", completeFrom],
  ["spec.restore.s3", completeFromS3],
  ["spec.restore.volume", completeFromVolume],
  ["spec.restore.pointInTime", completeToMoment],
  ["spec.restore", completeOf],
  ["spec.initFrom", completeFromServer],
  ["spec.placement.tolerations[0].value", withEqual],
  ...[
    "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]",
    "preferredDuringSchedulingIgnoredDuringExecution[0].preference",
  ].map((term): readonly [string, unknown] => [
    `spec.placement.nodeAffinity.${term}.matchExpressions[0].values`,
    withValues,
  ]),
  ...["readWrite", "readOnly", "any"].flatMap((service) =>
    ["type", "loadBalancerSourceRanges"].map((field): readonly [string, unknown] => [
      `spec.services.${service}.${field}`,
      inside,
    ]),
  ),
  ...["placement", "podMetadata", "imagePullSecrets", "services"].map((field): readonly [string, unknown] => [
    `spec.${field}`,
    completeWithPlacement,
  ]),
];

/** A complete spec for trying the field at this path. */
export const baseOf = (path: string): unknown =>
  bases.find(([field]) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`))?.[1] ??
  complete;

/** Where a field is: keys from the spec down. */
export type Keys = readonly string[];

/** `object` with `value` at `keys`; undefined takes the field away. */
export function withValue(object: unknown, [key, ...rest]: Keys, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(object))
    return object.map((item: unknown, index) => (String(index) === key ? withValue(item, rest, value) : item));
  const fields: Record<string, unknown> = typeof object === "object" && object !== null ? { ...object } : {};
  const below = Object.hasOwn(fields, key) ? fields[key] : undefined;
  // defined and not assigned: a key may be __proto__
  return Object.fromEntries([
    ...Object.entries(fields).filter(([name]) => name !== key),
    ...(value === undefined && rest.length === 0 ? [] : [[key, withValue(below, rest, value)] as const]),
  ]);
}

export const refused = (...says: readonly string[]): Door => ({ kind: "refused", says, parserToo: true });
/** What only the API server can see: the parser takes a null or an unknown field for a missing one. */
export const refusedByServerAlone = (...says: readonly string[]): Door => ({ kind: "refused", says, parserToo: false });
export const accepted = (then: "works" | StalledReason = "works"): Door => ({ kind: "accepted", then });
