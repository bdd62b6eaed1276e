// Bad inputs that a schema cannot suggest: quantities, schedules, names, labels, parameters, and fields that depend on each other.
import type { StalledReason } from "../../operator/api/reasons";
import {
  accepted,
  baseOf,
  complete,
  completeFromServer,
  completeOfSeveral,
  completeWithS3,
  refused,
  withValue,
  type Door,
  type Entry,
  type Keys,
} from "./entry";

type Values = readonly [says: string, values: readonly string[]];

/** Text fields with values that look almost right, and what the refusal must say. */
const almost: Readonly<Record<string, Values>> = {
  "spec.version": [
    'for example "17.6"',
    ["17", "17.", ".6", "17.6.1", "v17.6", "17.6 ", "17,6", "17.x", "-17.6", "latest", "１７.６", "99999999999999.9"],
  ],
  "spec.storage": [
    "must be whole gibibytes from 1Gi to 1048576Gi, for example 10Gi",
    [
      "0Gi",
      "5GB",
      "1.5Gi",
      "-1Gi",
      "10Gi ",
      " 10Gi",
      "10",
      "10G",
      "10gi",
      "10GiB",
      "010Gi",
      "1048577Gi",
      "9999999999Gi",
    ],
  ],
  "spec.backup.destination.volume.size": [
    "must be whole gibibytes from 1Gi to 1048576Gi, for example 10Gi",
    ["0Gi", "00Gi", "5GB", "1.5Gi", "-1Gi", "+1Gi", "10Gi ", "1e3", "10Ti", "512Mi", "2000000Gi"],
  ],
  "spec.backup.destination.s3.bucket": [
    "must be the name of a bucket",
    ["ab", "Backups", "-ab", "ab-", "a_b", "a/b", "a b"],
  ],
  "spec.backup.destination.s3.prefix": [
    "between parts that begin with a letter or digit",
    ["/a", "a/", "a//b", "..", "a/../b", "a b", "ä"],
  ],
  "spec.backup.destination.s3.endpoint": [
    "must be an address with https:// or http://",
    ["s3.example.com", "ftp://s3", "https://", "https://s3/path", "https://s3:", "https://u@s3", "https://s3?a"],
  ],
  "spec.backup.destination.s3.region": ["must be lower-case letters, digits and -", ["EU", "eu 1", "eu_1", "eu.1"]],
  "spec.resources.requests.cpu": [
    'such as "2", "0.5" or 500m',
    ["-1", "1,5", ".5", "1.", "0.0001", "500M", "500 m", "2 cores", "1e3", "99999", "99999999m", "NaN"],
  ],
  "spec.resources.limits.cpu": ['cores above 0, such as "2", "0.5" or 500m', ["0", "0.000", "0m", "-1m", "99999"]],
  "spec.resources.requests.memory": [
    "such as 512Mi or 4Gi",
    ["1.5Gi", "512", "512MB", "4G", "4gi", "-1Gi", "512Mi ", "65Ti", "9999999999Ti", "1e9"],
  ],
  "spec.resources.limits.memory": [
    "from 128Mi to 64Ti, such as 512Mi or 4Gi",
    ["0Mi", "1Ki", "127Mi", "131071Ki", "65Ti", "9999999999Ti", "1Pi"],
  ],
  "spec.backup.schedule": [
    "must be five cron fields (minute hour day month weekday)",
    ["@daily", "@every 1s", "* * * * * *", "61 * * * *", "0 24 * * *", "0 2 * * 7", "0 2 * * mon", "TZ=UTC 0 2 * * *"],
  ],
  "spec.storageClass": [
    "must be the name of a StorageClass",
    ["Fast", "fast_ssd", "-fast", "fast-", "a..b", "a/b", "."],
  ],
  "spec.configFrom.name": [
    "must be the name of a ConfigMap",
    ["Tuning", "other/tuning", "../tuning", "tuning.", "a b"],
  ],
  "spec.monitoring.labels.release": ["must be a label value", ["-a", "a-", "a b", "a/b", "é"]],
};

const right: Readonly<Record<string, readonly string[]>> = {
  "spec.storage": ["1Gi", "10Gi", "1048576Gi"],
  "spec.backup.destination.volume.size": ["1Gi", "1048576Gi"],
  "spec.resources.requests.cpu": ["0", "0.1", "1m", "2"],
  "spec.resources.limits.cpu": ["2", "2.5", "3000m", "9999"],
  "spec.resources.requests.memory": ["0Mi", "1Ki", "512Mi"],
  "spec.resources.limits.memory": ["1Gi", "1048576Ki", "64Ti"],
  "spec.backup.schedule": ["*/15 0-6,22 1 JAN,6 MON-FRI", "59 23 31 12 6"],
};

const keysOf = (path: string): Keys => path.split(".").slice(1);

function at(path: string, value: unknown, door: Door): Entry {
  const written = {
    name: "shop",
    spec: withValue(path.startsWith("spec.backup.") ? baseOf(path) : complete, keysOf(path), value),
  };
  return { title: `${path}: ${JSON.stringify(value)}`, path, written, door };
}

const texts: readonly Entry[] = [
  ...Object.entries(almost).flatMap(([path, [says, values]]) => values.map((value) => at(path, value, refused(says)))),
  ...Object.entries(right).flatMap(([path, values]) => values.map((value) => at(path, value, accepted()))),
];

const labels: readonly Entry[] = [
  ...["my release", "a..b/c", "/a", "a/", "-a", "a/b/c", "A.b/c", "x".repeat(64), `${"a".repeat(254)}/b`].map((key) =>
    at("spec.monitoring.labels", { [key]: "kps" }, refused("every key must be a label key, for example release")),
  ),
  ...["app", "database", "app.kubernetes.io/managed-by", "app.kubernetes.io/component", "database.example.com/x"].map(
    (key) => at("spec.monitoring.labels", { [key]: "kps" }, refused("labels that the operator sets itself")),
  ),
  at("spec.monitoring.labels", { "app.kubernetes.io/part-of": "shop", "example.com/team": "" }, accepted()),
];

const reserved: StalledReason = "ParameterReserved";
const parameters: readonly Entry[] = [
  ...["1st", "_a", "a b", "a=b", "x".repeat(129), "constructor;", "é"].map((name) =>
    at("spec.config", { [name]: "1" }, refused("every name must look like max_connections")),
  ),
  at("spec.config", { log_line_prefix: "x".repeat(1024) }, accepted()),
  at("spec.config", { log_line_prefix: "😀".repeat(1024) }, accepted()),
  at("spec.config", Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`shop.p${n}`, "1"])), accepted()),
  ...[
    { port: "5433" },
    { "Work-Mem": "1MB" },
    { max_conections: "100" },
    { constructor: "1" },
    { max_connections: "many" },
    { max_connections: "-1" },
    { work_mem: "16mb" },
    { fsync: "off" },
    { archive_command: "$(touch canary)" },
  ].map((config) => at("spec.config", config, accepted(reserved))),
  {
    ...at(
      "spec.config",
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`shop.p${n}`, "😀".repeat(1024)])),
      accepted(reserved),
    ),
    title: "spec.config: 100 values of 1024 characters that are long when they are escaped",
  },
];

const related: readonly Entry[] = [
  at("spec.resources.requests.cpu", "2001m", refused("requests.cpu must not exceed limits.cpu")),
  at("spec.resources.requests.memory", "1025Mi", refused("requests.memory must not exceed limits.memory")),
  at("spec.highAvailability.synchronous", { members: 1 }, refused("only with synchronousCommit: true")),
  {
    title: "spec.highAvailability.synchronous.members: as many as there are members",
    path: "spec.highAvailability.synchronous.members",
    written: { name: "shop", spec: { ...completeOfSeveral, replicas: 1 } },
    door: refused("must be less than replicas"),
  },
  {
    title: "spec.highAvailability.synchronous: of MySQL",
    path: "spec.highAvailability.synchronous",
    written: { name: "shop", spec: { ...completeOfSeveral, engine: "mysql", replicas: 9 } },
    door: refused("always wait for a majority"),
  },
  {
    title: "spec.backup.verify.queries: of MongoDB, which is not asked in SQL",
    path: "spec.backup.verify.queries",
    written: {
      name: "shop",
      spec: {
        engine: "mongodb",
        version: "8.0",
        backup: { verify: { queries: [{ name: "orders", sql: "SELECT 1" }] } },
      },
    },
    door: refused("queries of restore drills are SQL, for PostgreSQL and MySQL"),
  },
  {
    title: "spec.backup.verify.queries: of MongoDB, whose drills are switched off",
    path: "spec.backup.verify.queries",
    written: {
      name: "shop",
      spec: {
        engine: "mongodb",
        version: "7.0",
        backup: { verify: { enabled: false, queries: [{ name: "orders", sql: "SELECT 1" }] } },
      },
    },
    door: accepted("VersionUnavailable"),
  },
  ...[
    { engine: "mongodb", version: "7.0", backup: { verify: { queries: [] } } },
    { engine: "mysql", version: "9.7", backup: { verify: { queries: [{ name: "orders", sql: "SELECT 1" }] } } },
  ].map((spec) => ({
    title: `spec.backup.verify: of ${spec.engine}, which has no image here`,
    path: "spec.backup.verify",
    written: { name: "shop", spec },
    door: accepted("VersionUnavailable"),
  })),
  {
    title: "spec.backup.verify: of object storage",
    path: "spec.backup.verify",
    written: {
      name: "shop",
      spec: { ...completeWithS3, backup: { ...completeWithS3.backup, verify: { enabled: true } } },
    },
    door: accepted(),
  },
  {
    title: "spec.backup.verify: of no backups",
    path: "spec.backup.verify",
    written: { name: "shop", spec: { ...complete, backup: { enabled: false, verify: { enabled: true } } } },
    door: refused("needs enabled: true"),
  },
  at(
    "spec.backup.verify.queries",
    Array.from({ length: 21 }, (_, index) => ({ name: `q-${index}`, sql: "SELECT 1" })),
    refused("must have at most 20 items"),
  ),
  at(
    "spec.backup.verify.queries",
    ["SELECT 1", "SELECT 2"].map((sql) => ({ name: "orders", sql })),
    refused("name"),
  ),
  ...[
    { databases: ["a", "b"], says: "takes in one database" },
    { databases: [], says: "at least 1" },
    { databases: ["Template1"], says: "is the server's own" },
    { databases: ["--help"], says: "must be names of databases" },
  ].map(({ databases, says }) => ({
    title: `spec.initFrom.databases: ${JSON.stringify(databases)}`,
    path: "spec.initFrom.databases",
    written: { name: "shop", spec: withValue(completeFromServer, ["initFrom", "databases"], databases) },
    door: refused(says),
  })),
  {
    title: "spec.initFrom: beside a backup",
    path: "spec.initFrom",
    written: { name: "shop", spec: withValue(completeFromServer, ["restore"], { from: { name: "orders" } }) },
    door: refused("write restore or initFrom"),
  },
  at("spec.version", "99.9", accepted("VersionUnavailable")),
  at("spec.version", "017.6", accepted("VersionUnavailable")),
  at("spec.version", "9999999.9999999", accepted("VersionUnavailable")),
  at("spec.configFrom.name", "elsewhere", accepted("ConfigSourceMissing")),
  at("spec.paused", true, accepted("Paused")),
  ...[9, 10].map((replicas) => ({
    title: `spec.replicas: ${replicas} of MySQL`,
    path: "spec.replicas",
    written: { name: "shop", spec: { engine: "mysql", version: "9.7", replicas } },
    door: replicas > 9 ? refused("write 9 or less") : accepted("VersionUnavailable"),
  })),
];

const isLong = "must have at most 45 characters";
const isNoName = "must begin with a lower-case letter";
const names: readonly (readonly [name: string, door: Door])[] = [
  ["a", accepted()],
  ["a".repeat(45), accepted()],
  ["a".repeat(46), refused(isLong)],
  ["a".repeat(63), refused(isLong)],
  ["a".repeat(64), refused(isLong)],
  ["a".repeat(253), refused(isLong)],
  ["1st", refused(isNoName)],
  ["my.postgres", refused(isNoName)],
  ["1.2.3.4", refused(isNoName)],
  // the API server itself refuses these for every kind
  ["a".repeat(254), refused("no more than 253 characters")],
  ...["-a", "a-", "A", "a_b", "a b", "é", "$(id)", "a\nb", "a\u0000b"].map(
    (name) => [name, refused("RFC 1123 subdomain")] as const,
  ),
];

/** All of them. */
export const specials: readonly Entry[] = [
  ...texts,
  ...labels,
  ...parameters,
  ...related,
  ...names.map(([name, door]) => ({
    title: `metadata.name: ${JSON.stringify(name)}`,
    path: "metadata.name",
    written: { name, spec: complete },
    door,
  })),
];
