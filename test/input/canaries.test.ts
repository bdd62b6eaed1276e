// Canaries: every text that a person may write goes into the children as data, and never into a command.
import assert from "node:assert/strict";
import test from "node:test";
import { backupDefaults, monitoringDefaults } from "../../contract/defaults";
import type { Restore } from "../../operator/api/restore";
import type { DatabaseSpec } from "../../operator/api/spec";
import { argsOf } from "../../operator/stack/program";
import { importOf } from "../../operator/reconcile/import-source";
import { withUpgrade } from "../../operator/reconcile/upgrade-declared";
import { restoreSourceOf } from "../../operator/reconcile/restore-source";
import type { Desired } from "../../operator/domain/desired";
import { begunUpgrade } from "../../operator/domain/upgrade";
import { passwords } from "../golden/cases";
import { record, type Recorded } from "../golden/record";
import { nodes } from "./table";
import { pathOf } from "./fields";

/** A text that is found again wherever it goes, and that would run if it came into a shell, a statement or a template. */
const canary = (field: string): string => `canary<${field}> $(touch x) \`touch x\` '; DROP TABLE x; -- {{ x }} \${x}`;
// keys of config may hold letters only, names besides
const canaryPattern = /canary<([^>]+)>|(canary_key|canary-name\b|canary-namespace)/g;

const carriedBy = (of: string): { labels: Record<string, string>; annotations: Record<string, string> } => ({
  labels: { team: canary(`${of} label`) },
  annotations: { note: canary(`${of} annotation`) },
});
const serviceWith = (of: string): NonNullable<NonNullable<DatabaseSpec["services"]>["any"]> => ({
  ...{ type: "LoadBalancer", loadBalancerSourceRanges: [canary(`${of} range`)] },
  ...carriedBy(of),
});

const spec: DatabaseSpec = {
  engine: "postgresql",
  version: canary("version"),
  replicas: 3,
  storage: canary("storage"),
  storageAutoGrow: { maxSize: canary("maxSize") },
  storageClass: canary("storageClass"),
  config: { log_line_prefix: canary("config"), shared_preload_libraries: canary("config at start") },
  configFrom: { name: canary("configFrom") },
  resources: {
    requests: { cpu: canary("requests.cpu"), memory: canary("requests.memory") },
    limits: { cpu: canary("limits.cpu"), memory: canary("limits.memory") },
  },
  highAvailability: { synchronousCommit: true },
  backup: {
    ...backupDefaults,
    schedule: canary("schedule"),
    destination: { volume: { size: canary("backup size"), storageClass: canary("backup storageClass") } },
    verify: {
      schedule: canary("verify schedule"),
      queries: [{ name: canary("query name"), sql: canary("sql"), expect: canary("expect") }],
    },
  },
  monitoring: { ...monitoringDefaults, labels: { release: canary("label"), [canary("label key")]: "kps" } },
  deletionPolicy: "Retain",
  upgrade: { confirmed: canary("confirmed") },
  changePolicy: {
    requireApproval: [],
    windows: [
      {
        ...{ schedule: canary("window schedule"), duration: canary("window duration") },
        ...{ timeZone: canary("window timeZone"), effects: ["Downtime"] },
      },
    ],
  },
  paused: false,
  placement: {
    nodeSelector: { disk: canary("selected"), [canary("selected key")]: "1" },
    tolerations: [{ key: canary("tolerated"), operator: "Equal", value: canary("tolerated value") }],
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: canary("required"), operator: "In", values: [canary("required value")] }] },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 1,
          preference: {
            matchExpressions: [{ key: canary("preferred"), operator: "In", values: [canary("preferred value")] }],
          },
        },
      ],
    },
    antiAffinity: { type: "Required", topologyKey: canary("topology") },
    priorityClassName: canary("priority"),
  },
  podMetadata: carriedBy("pod"),
  imagePullSecrets: [{ name: canary("pull secret") }],
  services: { readWrite: serviceWith("rw"), readOnly: serviceWith("ro"), any: serviceWith("any") },
};

/** Of another backup, which is found by them, and whose claim and label are the operator's own. */
const sources = { from: { name: canary("restore from") }, backup: { name: canary("restore backup") } };

/** Of backups in a bucket that nothing else tells of. */
const bucket = {
  s3: {
    ...{ bucket: canary("restore bucket"), prefix: canary("restore prefix"), endpoint: canary("restore endpoint") },
    ...{ region: canary("restore region"), pathStyle: false, cluster: canary("restore cluster") },
    ...{ credentials: { name: canary("restore credentials") }, ca: { name: canary("restore ca") } },
    encryption: { secret: { name: canary("restore encryption") } },
  },
  pointInTime: canary("restore moment"),
};

/** Of a certain one of them, and of backups on a volume that nothing else tells of. */
const certain = { s3: { ...bucket.s3, label: canary("restore stored label") } };
const volume = { volume: { claim: { name: canary("restore claim") }, label: canary("restore label") } };

/** Of a server elsewhere. */
const server = {
  ...{ host: canary("import host"), port: 5432, databases: [canary("import database")] },
  credentials: { name: canary("import credentials") },
  tls: { mode: "Verify", ca: { name: canary("import ca") } },
} as const;
const initFrom = { ...server, databases: [...server.databases] };

const owner = { name: "canary-name", namespace: "canary-namespace", uid: canary("uid") };
const config = { ...spec.config, "canary_key.p": "1", "shop.p": canary("config of configFrom") };
const desired: Desired = { owner, spec, image: canary("image"), config, serviceMonitors: true };

/** The same with object storage in place of the volume. */
const stored: Desired = {
  ...desired,
  spec: {
    ...spec,
    backup: {
      ...spec.backup,
      destination: {
        s3: {
          ...{ bucket: canary("bucket"), prefix: canary("prefix"), endpoint: canary("endpoint") },
          ...{ region: canary("region"), pathStyle: false },
          ...{ credentials: { name: canary("s3 credentials") }, ca: { name: canary("s3 ca") } },
        },
      },
      encryption: { secret: { name: canary("s3 passphrase") } },
    },
  },
};

/** The same at the begin of a major upgrade, which is noted on the StatefulSet. */
const images = { from: canary("image"), to: canary("image"), job: canary("image") };
const versions = { from: canary("version"), to: canary("version") };
const upgraded = withUpgrade(
  desired,
  begunUpgrade(owner.uid, { ...versions, images, disregarded: canary("confirmed") }),
  {},
);

/** Where a text was found: the field it comes from, and the place in a child. */
interface Find {
  readonly field: string;
  readonly place: string;
}

function findsIn(value: unknown, place: string): Find[] {
  if (typeof value === "string")
    return Array.from(value.matchAll(canaryPattern), ([, field, name = ""]) => ({ field: field ?? name, place }));
  if (Array.isArray(value)) return value.flatMap((item: unknown) => findsIn(item, `${place}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...findsIn(key, `${place}.*`),
    ...findsIn(item, /^[\w./-]+$/.test(key) ? `${place}.${key}` : `${place}.*`),
  ]);
}

const kindOf = ({ type }: Recorded): string => type.split(":").at(-1) ?? type;

/** The volumes that a restore drill, and the rehearsal of an upgrade, work on. */
const passingVolumes = jobPods("volumes[].ephemeral.volumeClaimTemplate.spec");

const noteOfUpgrade = "StatefulSet.metadata.annotations.database.example.com/upgrade";

/** For every field, where its text may be. A command, an argument, a probe or a script is none of these places. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  version: [
    "Job.spec.template.metadata.annotations.database.example.com/upgrade",
    "Job.spec.template.spec.containers[].env[].value",
    ...[noteOfUpgrade, "StatefulSet.metadata.labels.app.kubernetes.io/version"],
  ],
  image: [...jobPods("containers[].image"), noteOfUpgrade, "StatefulSet.spec.template.spec.containers[].image"],
  confirmed: [noteOfUpgrade],
  storage: [
    ...passingVolumes.map((volume) => `${volume}.resources.requests.storage`),
    "PersistentVolumeClaim.spec.resources.requests.storage",
    "StatefulSet.spec.volumeClaimTemplates[].spec.resources.requests.storage",
  ],
  storageClass: [
    ...passingVolumes.map((volume) => `${volume}.storageClassName`),
    "PersistentVolumeClaim.spec.storageClassName",
    "StatefulSet.spec.volumeClaimTemplates[].spec.storageClassName",
  ],
  "backup size": ["PersistentVolumeClaim.spec.resources.requests.storage"],
  "backup storageClass": ["PersistentVolumeClaim.spec.storageClassName"],
  canary_key: ["ConfigMap.metadata.annotations.config"],
  config: ["ConfigMap.metadata.annotations.config"],
  "config at start": ["StatefulSet.spec.template.metadata.annotations.database.example.com/start-parameters"],
  "config of configFrom": ["ConfigMap.metadata.annotations.config"],
  ...Object.fromEntries(
    ["requests.cpu", "requests.memory", "limits.cpu", "limits.memory"].map((field) => [
      field,
      // of members, and of the Job that restores: a server runs in it
      ["Job", "StatefulSet"].map((kind) => `${kind}.spec.template.spec.containers[].resources.${field}`),
    ]),
  ),
  ...Object.fromEntries(
    ["bucket", "prefix", "endpoint", "region"].map((field) => [
      field,
      ["ConfigMap.data.pgbackrest.conf", "ConfigMap.data.storage", ...jobPods("containers[].env[].value")],
    ]),
  ),
  "s3 credentials": ["ConfigMap.data.storage", ...everyPod("volumes[].secret.secretName", "")],
  "s3 passphrase": ["ConfigMap.data.storage", ...everyPod("volumes[].secret.secretName", "")],
  "s3 ca": ["ConfigMap.data.storage", ...everyPod("volumes[].secret.secretName", "")],
  ...Object.fromEntries(
    ["bucket", "prefix", "endpoint", "region", "cluster", "moment"].map((field) => [
      `restore ${field}`,
      ["Job.spec.template.spec.containers[].env[].value"],
    ]),
  ),
  ...Object.fromEntries(
    ["credentials", "ca", "encryption"].map((field) => [
      `restore ${field}`,
      ["Job.spec.template.spec.volumes[].secret.secretName"],
    ]),
  ),
  "restore claim": ["Job.spec.template.spec.volumes[].persistentVolumeClaim.claimName"],
  "restore stored label": ["Job.spec.template.spec.containers[].env[].value"],
  "restore label": ["Job.spec.template.spec.containers[].env[].value"],
  "import host": ["Job.spec.template.spec.containers[].env[].value"],
  "import database": ["Job.spec.template.spec.containers[].env[].value"],
  "import credentials": ["Job.spec.template.spec.containers[].env[].valueFrom.secretKeyRef.name"],
  "import ca": ["Job.spec.template.spec.volumes[].secret.secretName"],
  schedule: ["CronJob.spec.schedule"],
  "verify schedule": ["CronJob.spec.schedule"],
  "query name": ["ConfigMap.data.queries.json"],
  sql: ["ConfigMap.data.queries.json"],
  expect: ["ConfigMap.data.queries.json"],
  selected: everyPod("nodeSelector.disk", ""),
  "selected key": everyPod("nodeSelector.*", ""),
  tolerated: everyPod("tolerations[].key", ""),
  "tolerated value": everyPod("tolerations[].value", ""),
  ...Object.fromEntries(
    ["required", "preferred"].flatMap((how) => {
      const term = how === "required" ? ".nodeSelectorTerms[]" : "[].preference";
      const at = `affinity.nodeAffinity.${how}DuringSchedulingIgnoredDuringExecution${term}.matchExpressions[]`;
      return [
        [how, everyPod(`${at}.key`, "")],
        [`${how} value`, everyPod(`${at}.values[]`, "")],
      ];
    }),
  ),
  topology: [
    "StatefulSet.spec.template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].topologyKey",
  ],
  priority: everyPod("priorityClassName", ""),
  "pull secret": everyPod("imagePullSecrets[].name", ""),
  "pod label": everyTemplate("labels.team"),
  "pod annotation": everyTemplate("annotations.note"),
  ...Object.fromEntries(
    ["rw", "ro", "any"].flatMap((of) => [
      [`${of} label`, ["Service.metadata.labels.team"]],
      [`${of} annotation`, ["Service.metadata.annotations.note"]],
      [`${of} range`, ["NetworkPolicy.spec.ingress[].from[].ipBlock.cidr", "Service.spec.loadBalancerSourceRanges[]"]],
    ]),
  ),
  label: ["ServiceMonitor.metadata.labels.release"],
  "label key": ["ServiceMonitor.metadata.labels.*"],
};

/** Name and namespace are in every child; in a container they may be here alone. */
const allowedOfNames = ["value", "valueFrom.secretKeyRef.name", "valueFrom.configMapKeyRef.name"].flatMap((field) =>
  everyPod(`env[].${field}`),
);

/** `part`: of the pod's spec. */
function everyPod(field: string, part = "containers[]."): string[] {
  return [...jobPods(`${part}${field}`), `StatefulSet.spec.template.spec.${part}${field}`];
}

/** In the metadata of every pod. */
function everyTemplate(field: string): string[] {
  return everyPod("", "").map((pod) => pod.replace(/spec\.$/, `metadata.${field}`));
}

function jobPods(field: string): string[] {
  return [`CronJob.spec.jobTemplate.spec.template.spec.${field}`, `Job.spec.template.spec.${field}`];
}

const names = new Set(["canary-name", "canary-namespace"]);

function beginningWith(restore: Restore): Desired {
  const source = restoreSourceOf(restore, spec, []);
  assert.ok(source.kind === "found");
  return { ...desired, spec: { ...spec, restore }, restore: source.restore };
}

async function found(): Promise<Find[]> {
  const children: Recorded[] = [];
  const restored = { ...desired, spec: { ...spec, restore: sources } };
  const imported = { ...desired, spec: { ...spec, initFrom }, restore: importOf(initFrom, spec) };
  for (const wanted of [restored, stored, ...[bucket, certain, volume].map(beginningWith), imported, upgraded])
    children.push(...(await record(owner.name, { ...argsOf(wanted), passwords })));
  return children.flatMap((child) => findsIn(child.inputs, kindOf(child)));
}

test("every text of the spec has a canary, so that a new field is looked for on the day it is added", () => {
  const texts = nodes.filter(({ schema }) => schema.type === "string" && !schema.enum).map(({ keys }) => keys.slice(1));
  for (const keys of texts) {
    const valueIn = (one: DatabaseSpec): unknown =>
      keys.reduce<unknown>((found, key) => Object.entries(found ?? {}).find(([name]) => name === key)?.[1], one);
    const specs: DatabaseSpec[] = [sources, bucket, certain, volume].map((restore) => ({ ...spec, restore }));
    const values = [...specs, stored.spec, { ...spec, initFrom }].map((one) => String(valueIn(one)));
    const isThere = values.some((value) => value.startsWith("canary<"));
    assert.ok(isThere, pathOf(keys));
  }
});

test("each text of the spec arrives in the places that are listed for it, and in no other", async () => {
  const finds = (await found()).filter(({ field }) => !names.has(field) && field !== "uid");
  const listed = Object.entries(Object.groupBy(finds, ({ field }) => field)).map(([field, all = []]) => [
    field,
    [...new Set(all.map(({ place }) => place))].sort(),
  ]);
  assert.deepEqual(Object.fromEntries(listed), allowed);
});

test("name and namespace are in the environment of containers, and neither in a command nor in an argument", async () => {
  const inContainers = (await found()).filter(({ field, place }) => names.has(field) && place.includes("ontainers[]"));
  assert.ok(inContainers.length >= 10, String(inContainers.length));
  for (const { field, place } of inContainers) assert.ok(allowedOfNames.includes(place), `${field} is in ${place}`);
});

test("a text that came into a command would be found", () => {
  const pod = { containers: [{ command: ["sh", "-c", `echo ${canary("planted")}`], env: [{ [canary("key")]: 1 }] }] };
  assert.deepEqual(findsIn(pod, "Pod"), [
    { field: "planted", place: "Pod.containers[].command[]" },
    { field: "key", place: "Pod.containers[].env[].*" },
  ]);
});
