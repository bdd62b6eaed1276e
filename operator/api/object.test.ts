import assert from "node:assert/strict";
import test from "node:test";
import { engineNames, enginesThat, titlesOf, whoseSuperuserIsClosable } from "../../contract/engines";
import { metadataOf, parseDatabase } from "./object";
import { statusOf } from "./stored-status";
import { DatabaseSpec, type DatabaseSpecInput } from "./spec";

const metadata = { name: "my-postgres", namespace: "production", uid: "0d9f", generation: 4 };
const smallest: DatabaseSpecInput = { engine: "postgresql", version: "17.6" };

const database = (spec: unknown, name = metadata.name): unknown => ({
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { ...metadata, name },
  spec,
});

/** The problems of a Database whose spec is the smallest one with `changes`. */
function problemsOf(changes: Record<string, unknown>, name?: string): readonly string[] {
  const parsed = parseDatabase(database({ ...smallest, ...changes }, name));
  return parsed.ok ? [] : parsed.problems;
}

test("the smallest spec gets every default", () => {
  const parsed = parseDatabase(database(smallest));
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.database.spec, {
    engine: "postgresql",
    version: "17.6",
    replicas: 3,
    storage: "10Gi",
    highAvailability: { synchronousCommit: false },
    backup: { enabled: true, schedule: "0 2 * * *", retention: 7 },
    monitoring: { enabled: true, labels: { release: "kps" } },
    deletionPolicy: "Retain",
    paused: false,
  });
});

const accepted: Record<string, { changes: Record<string, unknown>; name?: string }> = {
  "one replica is a database": { changes: { replicas: 1 } },
  "ten replicas are the most": { changes: { replicas: 10 } },
  "a version may have several digits on both sides": { changes: { version: "17.10" } },
  "a name may have 45 characters": { changes: {}, name: "a".repeat(45) },
  "a name of one letter is enough": { changes: {}, name: "a" },
  "a parameter of an extension has a dot": { changes: { config: { "pg_stat_statements.track": "all" } } },
  "a parameter may have as many characters as the API server counts": {
    changes: { config: { search_path: "😀".repeat(1024) } },
  },
  "a parameter may be empty": { changes: { config: { search_path: "" } } },
  "cron lists, ranges, steps and names are schedules": {
    changes: { backup: { schedule: "*/15 0-6,22 1 JAN,6 MON-FRI" } },
  },
  "volumes may grow up to the size that they have": {
    changes: { storage: "10Gi", storageAutoGrow: { maxSize: "10Gi" } },
  },
  "resources may have one entry only": { changes: { resources: { limits: { memory: "1Gi" } } } },
  "PostgreSQL starts with little memory": { changes: { resources: { limits: { memory: "128Mi" } } } },
  "MySQL may have the minimum": {
    changes: { engine: "mysql", version: "9.7", resources: { limits: { memory: "524288Ki" } } },
  },
  "a request may equal its limit in other units": {
    changes: { resources: { requests: { cpu: "500m", memory: "1024Mi" }, limits: { cpu: "0.5", memory: "1Gi" } } },
  },
  "a backup volume may have a class and no size": {
    changes: { backup: { destination: { volume: { storageClass: "slow" } } } },
  },
  "backups in object storage may be encrypted": {
    changes: {
      backup: {
        destination: { s3: { bucket: "backups", endpoint: "https://s3", credentials: { name: "s3" } } },
        encryption: { secret: { name: "passphrase" } },
      },
    },
  },
  "commits may wait for all other members": {
    changes: { highAvailability: { synchronousCommit: true, synchronous: { members: 2, strict: true } } },
  },
  "how commits wait may be given with the defaults": {
    changes: { replicas: 2, highAvailability: { synchronousCommit: true, synchronous: {} } },
  },
  "MySQL's superuser may be let in over the network": {
    changes: { engine: "mysql", version: "9.7", superuserAccess: "Network" },
  },
  "connections may have to be with TLS": { changes: { tls: { mode: "Require" } } },
  "labels may have a prefix": { changes: { monitoring: { labels: { "example.com/team": "data" } } } },
};

for (const [sentence, { changes, name }] of Object.entries(accepted)) {
  test(`accepted: ${sentence}`, () => {
    assert.deepEqual(problemsOf(changes, name), []);
  });
}

const large = titlesOf(enginesThat(({ memory }) => memory === "large"));
const byMajority = titlesOf(enginesThat(({ commits }) => commits === "by majority"));

const refused: Record<string, { changes: Record<string, unknown>; name?: string; problem: string }> = {
  "an unknown engine": {
    changes: { engine: "oracle" },
    problem: `spec.engine: must be one of ${engineNames.join(", ")}`,
  },
  "no engine": { changes: { engine: undefined }, problem: "spec.engine: is required" },
  "no version": { changes: { version: undefined }, problem: "spec.version: is required" },
  "a version without a minor": {
    changes: { version: "17" },
    problem: 'spec.version: must be two numbers with a dot between them, in quotes, for example "17.6"',
  },
  "a version that YAML read as a number": { changes: { version: 17.6 }, problem: "spec.version: must be a string" },
  "no replica": { changes: { replicas: 0 }, problem: "spec.replicas: must be at least 1" },
  "eleven replicas": { changes: { replicas: 11 }, problem: "spec.replicas: must be at most 10" },
  "less room to grow than there is storage": {
    changes: { storage: "10Gi", storageAutoGrow: { maxSize: "9Gi" } },
    problem: "spec.storageAutoGrow: must be at least spec.storage: write a larger maxSize",
  },
  "half a replica": { changes: { replicas: 1.5 }, problem: "spec.replicas: must be an integer" },
  "storage in other units": {
    changes: { storage: "100G" },
    problem: "spec.storage: must be whole gibibytes from 1Gi to 1048576Gi, for example 10Gi",
  },
  "no storage": {
    changes: { storage: "0Gi" },
    problem: "spec.storage: must be whole gibibytes from 1Gi to 1048576Gi, for example 10Gi",
  },
  "encryption of a volume": {
    changes: { backup: { encryption: { secret: { name: "passphrase" } } } },
    problem:
      "spec.backup.encryption: encryption is for backups in object storage, a volume is encrypted by its StorageClass: write destination.s3, or leave it out",
  },
  "an invalid class name": {
    changes: { storageClass: "Fast SSD" },
    problem:
      "spec.storageClass: must be the name of a StorageClass: lower-case letters, digits, - and ., for example fast-ssd",
  },
  "a parameter that is a number": {
    changes: { config: { max_connections: 200 } },
    problem: "spec.config.max_connections: must be a string",
  },
  "a parameter of two lines": {
    changes: { config: { search_path: "a\nb" } },
    problem: "spec.config.search_path: must be a single line without control characters",
  },
  "a parameter whose name could end a line": {
    changes: { config: { "a = 1\nb": "2" } },
    problem:
      "spec.config: every name must look like max_connections: a letter, then letters, digits, _, - and ., at most 128 characters",
  },
  "a ConfigMap without a name": { changes: { configFrom: {} }, problem: "spec.configFrom.name: is required" },
  "memory without a unit": {
    changes: { resources: { limits: { memory: "512" } } },
    problem:
      "spec.resources.limits.memory: must be a whole number with Ki, Mi, Gi or Ti, from 128Mi to 64Ti, such as 512Mi or 4Gi",
  },
  "memory in which MySQL does not start": {
    changes: { engine: "mysql", version: "9.7", resources: { limits: { memory: "128Mi" } } },
    problem: `spec.resources.limits.memory: members of ${large} do not start with less than 512Mi: write 512Mi or more`,
  },
  "memory in which MongoDB does not start": {
    changes: { engine: "mongodb", version: "7.0", resources: { limits: { memory: "511Mi" } } },
    problem: `spec.resources.limits.memory: members of ${large} do not start with less than 512Mi: write 512Mi or more`,
  },
  "a request above its limit": {
    changes: { resources: { requests: { cpu: "1.5" }, limits: { cpu: "1400m" } } },
    problem:
      "spec.resources.requests.cpu: requests.cpu must not exceed limits.cpu: lower the request or raise the limit",
  },
  "commits that wait for more members than there are others": {
    changes: { replicas: 2, highAvailability: { synchronousCommit: true, synchronous: { members: 2 } } },
    problem:
      "spec.highAvailability.synchronous.members: must be less than replicas, as the primary does not count: write a smaller number, or more replicas",
  },
  "strict commits of one member": {
    changes: { replicas: 1, highAvailability: { synchronousCommit: true, synchronous: { strict: true } } },
    problem:
      "spec.highAvailability.synchronous.members: must be less than replicas, as the primary does not count: write a smaller number, or more replicas",
  },
  "how commits wait when they do not wait": {
    changes: { highAvailability: { synchronous: { members: 2 } } },
    problem:
      "spec.highAvailability.synchronous: says how commits wait, which they do only with synchronousCommit: true; write that, or leave this out",
  },
  "how commits of another engine wait": {
    changes: { engine: "mysql", highAvailability: { synchronousCommit: true, synchronous: { members: 2 } } },
    problem: `spec.highAvailability.synchronous: is PostgreSQL's: ${byMajority} always wait for a majority of the members; leave it out`,
  },
  "the superuser of MongoDB, which cannot be kept off the network": {
    changes: { engine: "mongodb", version: "7.0", superuserAccess: "Local" },
    problem: `spec.superuserAccess: ${whoseSuperuserIsClosable()}; leave it out`,
  },
  "TLS of an engine whose members have no certificate": {
    changes: { engine: "mysql", version: "9.7", tls: { mode: "Prefer" } },
    problem: "spec.tls: is for PostgreSQL; leave it out",
  },
  "an unknown place for the superuser": {
    changes: { superuserAccess: "Everywhere" },
    problem: "spec.superuserAccess: must be one of Local, Network",
  },
  "a schedule of four fields": {
    changes: { backup: { schedule: "0 2 * *" } },
    problem: 'spec.backup.schedule: must be five cron fields (minute hour day month weekday), for example "0 2 * * *"',
  },
  "an hour that does not exist": {
    changes: { backup: { schedule: "0 24 * * *" } },
    problem: 'spec.backup.schedule: must be five cron fields (minute hour day month weekday), for example "0 2 * * *"',
  },
  "a range of days that runs backwards": {
    changes: { backup: { schedule: "0 2 * * FRI-MON" } },
    problem: 'spec.backup.schedule: must have ranges that run forwards, for example "0 2 * * 1-5"',
  },
  "storage in another spelling of Kubernetes": {
    changes: { storage: "010Gi" },
    problem: "spec.storage: must be whole gibibytes from 1Gi to 1048576Gi, for example 10Gi",
  },
  "storage that overflows": {
    changes: { storage: "9999999999Gi" },
    problem: "spec.storage: must be whole gibibytes from 1Gi to 1048576Gi, for example 10Gi",
  },
  "a limit of zero": {
    changes: { resources: { limits: { cpu: "0m" } } },
    problem: 'spec.resources.limits.cpu: must be a number of cores above 0, such as "2", "0.5" or 500m',
  },
  "a label of the operator": {
    changes: { monitoring: { labels: { "app.kubernetes.io/managed-by": "me" } } },
    problem:
      "spec.monitoring.labels: must leave out the labels that the operator sets itself: app, database, app.kubernetes.io/name, instance, component and managed-by, and all of database.example.com",
  },
  "a label with an invalid prefix": {
    changes: { monitoring: { labels: { "a..b/c": "d" } } },
    problem: "spec.monitoring.labels: every key must be a label key, for example release or example.com/team",
  },
  "no backup kept": { changes: { backup: { retention: 0 } }, problem: "spec.backup.retention: must be at least 1" },
  "a backup volume without a size": {
    changes: { backup: { destination: { volume: { size: "0Gi" } } } },
    problem: "spec.backup.destination.volume.size: must be whole gibibytes from 1Gi to 1048576Gi, for example 10Gi",
  },
  "a label with a space": {
    changes: { monitoring: { labels: { "my release": "kps" } } },
    problem: "spec.monitoring.labels: every key must be a label key, for example release or example.com/team",
  },
  "a last backup without backups": {
    changes: { deletionPolicy: "Snapshot", backup: { enabled: false } },
    problem:
      "spec.deletionPolicy: Snapshot takes a last backup and so needs backup.enabled: true; switch backups on, or write Retain or Delete",
  },
  "an unknown policy": {
    changes: { deletionPolicy: "Keep" },
    problem: "spec.deletionPolicy: must be one of Retain, Snapshot, Delete",
  },
  "a name of 46 characters": {
    changes: {},
    name: "a".repeat(46),
    problem: "metadata.name: must have at most 45 characters: names of children are made from it",
  },
  "a name that begins with a digit": {
    changes: {},
    name: "1st",
    problem:
      "metadata.name: must begin with a lower-case letter, hold only a-z, 0-9 and -, and not end with -, for example my-postgres",
  },
};

for (const [sentence, { changes, name, problem }] of Object.entries(refused)) {
  test(`refused with a message that helps: ${sentence}`, () => {
    assert.deepEqual(problemsOf(changes, name), [problem]);
  });
}

test("all problems of a spec are reported at once", () => {
  assert.deepEqual(problemsOf({ version: "17", replicas: 0 }, "1st").length, 3);
});

test("a problem never repeats the value, which may be a secret", () => {
  const problems = problemsOf({ version: "hunter2", config: { a: "hunter2\n" }, engine: "hunter2" });
  assert.equal(problems.length, 3);
  assert.doesNotMatch(problems.join(), /hunter2/);
});

test("a key that a terminal would act on is shown in quotes and escaped", () => {
  assert.ok(problemsOf({ config: { "\u001b[31m": 1 } }).includes('spec.config."\\u001b[31m": must be a string'));
});

test("a value that is not an object has problems, not exceptions", () => {
  for (const thing of [undefined, null, 1, "database", [], {}]) assert.equal(parseDatabase(thing).ok, false);
});

test("metadata can be read whatever the spec says, so that deletion always runs", () => {
  const finalizers = ["database.example.com/finalizer"];
  const deleted = { metadata: { ...metadata, finalizers, deletionTimestamp: "2026-11-21T10:00:00Z" }, spec: 7 };
  assert.deepEqual(metadataOf(deleted), {
    ...metadata,
    finalizers,
    deletionTimestamp: "2026-11-21T10:00:00Z",
    resourceVersion: "",
    labels: {},
    annotations: {},
  });
});

test("an object without a name is not a Database", () => {
  assert.throws(() => metadataOf({ metadata: { namespace: "a" } }), /not a Database: metadata.name: is required/);
});

test("a status of an unknown shape counts as none", () => {
  assert.deepEqual(statusOf({ status: { ready: true } }), { ready: true });
  assert.deepEqual(statusOf({ status: { phase: "Sleeping" } }), {});
  assert.deepEqual(statusOf({}), {});
});

test("the type of the spec is the schema's: defaults are there, options may be missing", () => {
  const spec: DatabaseSpec = DatabaseSpec.parse(smallest);
  const replicas: number = spec.replicas;
  const storageClass: string | undefined = spec.storageClass;
  // @ts-expect-error an engine outside the enum is a compile error
  const wrong: DatabaseSpecInput = { engine: "oracle", version: "1.0" };
  assert.deepEqual([replicas, storageClass, wrong.version], [3, undefined, "1.0"]);
});
