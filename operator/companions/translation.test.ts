import assert from "node:assert/strict";
import test from "node:test";
import type { CompanionKind } from "../api/companions/kind";
import { postgreSQLCluster } from "../api/companions/postgresql-cluster";
import { sampleDB } from "../api/companions/sample-db";
import { fieldsOf } from "../api/reference";
import { schemaOf } from "../api/schema";
import { translators, versionFor, type Translation } from "./translation";

const catalogue = { postgresql: { "15.18": { image: "a" }, "17.6": { image: "b" }, "17.10": { image: "c" } } };

function translated(kind: CompanionKind, spec: unknown, running?: string): Translation {
  const translator = translators.find((one) => one.kind.plural === kind.plural);
  assert.ok(translator);
  const metadata = { name: "shop", namespace: "a", uid: "1" };
  return translator.translate({ metadata, spec }, { catalogue, running });
}

const resources = { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "4", memory: "8Gi" } };
const whole = {
  version: "14.5",
  instances: 3,
  storage: { size: "100Gi", storageClass: "fast-ssd" },
  backup: { enabled: true, schedule: "0 2 * * *", retention: 7 },
  resources,
  highAvailability: { enabled: true, synchronousCommit: true },
};

const cases: Record<string, { kind: CompanionKind; spec: unknown; wanted: unknown }> = {
  "a PostgreSQLCluster with every field": {
    kind: postgreSQLCluster,
    spec: whole,
    wanted: {
      ...{ engine: "postgresql", version: "14.5", replicas: 3, storage: "100Gi", storageClass: "fast-ssd" },
      ...{ backup: { enabled: true, schedule: "0 2 * * *", retention: 7 }, resources },
      highAvailability: { synchronousCommit: true },
    },
  },
  "a PostgreSQLCluster that leaves out what it can": {
    kind: postgreSQLCluster,
    spec: { version: "17.6" },
    wanted: { engine: "postgresql", version: "17.6", replicas: 3 },
  },
  "a PostgreSQLCluster with empty parts": {
    kind: postgreSQLCluster,
    spec: { version: "17.6", storage: {}, backup: {}, resources: { limits: {} }, highAvailability: { enabled: true } },
    wanted: { engine: "postgresql", version: "17.6", replicas: 3 },
  },
  "a PostgreSQLCluster without high availability": {
    kind: postgreSQLCluster,
    spec: { version: "17.6", instances: 1, highAvailability: { enabled: false } },
    wanted: { engine: "postgresql", version: "17.6", replicas: 1 },
  },
  "a PostgreSQLCluster without backups": {
    kind: postgreSQLCluster,
    spec: { version: "17.6", backup: { enabled: false } },
    wanted: { engine: "postgresql", version: "17.6", replicas: 3, backup: { enabled: false } },
  },
  "a SampleDB with every field": {
    kind: sampleDB,
    spec: { version: "15.3", replicas: 2, backupSchedule: "30 1 * * 0" },
    wanted: { engine: "postgresql", version: "15.18", replicas: 2, backup: { schedule: "30 1 * * 0" } },
  },
  "a SampleDB of a version alone": {
    kind: sampleDB,
    spec: { version: "17" },
    wanted: { engine: "postgresql", version: "17.10", replicas: 3 },
  },
};

for (const [what, { kind, spec, wanted }] of Object.entries(cases)) {
  test(`${what} becomes just this of a Database`, () => {
    assert.deepEqual(translated(kind, spec), { kind: "wanted", spec: wanted });
  });
}

test("no field of a companion is accepted and ignored: leaving any of them out changes what is wanted or allowed", () => {
  const specs = {
    [postgreSQLCluster.plural]: whole,
    [sampleDB.plural]: { version: "17.6", replicas: 2, backupSchedule: "1 2 * * *" },
  };
  for (const { kind } of translators) {
    const full = JSON.stringify(translated(kind, specs[kind.plural]));
    const leaves = fieldsOf(schemaOf(kind.spec), "spec").filter(({ schema }) => schema.properties === undefined);
    for (const { path } of leaves.filter((field) => field.path !== "spec.highAvailability.enabled")) {
      const changed = JSON.stringify(translated(kind, changedAt(specs[kind.plural], path.split(".").slice(1))));
      assert.notEqual(changed, full, `${kind.kind} ${path}`);
    }
  }
  const refused = translated(postgreSQLCluster, { ...whole, highAvailability: { enabled: false } });
  assert.equal(refused.kind === "refused" && refused.reason, "SpecInvalid");
});

/** `value` with another value at `path`. */
function changedAt(value: unknown, [key = "", ...rest]: readonly string[]): unknown {
  assert.ok(typeof value === "object" && value !== null);
  const record = new Map(Object.entries(value));
  const others: Record<string, unknown> = {
    ...{ version: "15.18", size: "200Gi", storageClass: "slow", schedule: "5 5 * * *", backupSchedule: "5 5 * * *" },
    ...{ cpu: "3", memory: "6Gi", instances: 4, replicas: 4, retention: 8, enabled: false, synchronousCommit: false },
  };
  assert.ok(rest.length > 0 || key in others, `no other value for ${key}`);
  return Object.fromEntries(record.set(key, rest.length > 0 ? changedAt(record.get(key), rest) : others[key]));
}

const mistakes: Record<string, { kind: CompanionKind; spec: unknown; says: RegExp }> = {
  "two instances needed": {
    kind: postgreSQLCluster,
    spec: { version: "17.6", instances: 1, highAvailability: { enabled: true } },
    says: /^spec\.instances: must be at least 2 with highAvailability\.enabled: true/,
  },
  "one instance only": {
    kind: postgreSQLCluster,
    spec: { version: "17.6", highAvailability: { enabled: false } },
    says: /^spec\.instances: must be 1 with highAvailability\.enabled: false/,
  },
  "no instance to wait for": {
    kind: postgreSQLCluster,
    spec: { version: "17.6", instances: 1, highAvailability: { enabled: false, synchronousCommit: true } },
    says: /^spec\.highAvailability\.synchronousCommit: waits for another instance/,
  },
  "a loose version where a full one is needed": {
    kind: postgreSQLCluster,
    spec: { version: "17" },
    says: /^spec\.version: must be two numbers/,
  },
  "an invalid version": {
    kind: sampleDB,
    spec: { version: "latest" },
    says: /^spec\.version: must be one to three/,
  },
  "no version": { kind: sampleDB, spec: {}, says: /^spec\.version: is required/ },
  "no spec": { kind: sampleDB, spec: undefined, says: /^spec: is required/ },
};

for (const [what, { kind, spec, says }] of Object.entries(mistakes)) {
  test(`what got past the API server is refused with a message that helps: ${what}`, () => {
    const answer = translated(kind, spec);
    assert.ok(answer.kind === "refused");
    assert.equal(answer.reason, "SpecInvalid");
    assert.match(answer.message, says);
  });
}

test("a SampleDB whose major version the catalogue lacks lists the ones it has", () => {
  assert.deepEqual(translated(sampleDB, { version: "1.2.3" }), {
    kind: "refused",
    reason: "VersionUnavailable",
    message: "the catalogue has no postgresql 1 for spec.version 1.2.3; available: 17.10, 17.6, 15.18",
  });
});

const available = ["17.10", "17.6", "15.18"];
for (const [text, running, expected, why] of [
  ["17", undefined, "17.10", "the highest, by number and not by text"],
  ["17.6", undefined, "17.6", "exactly the one that is named"],
  ["17.6.1", undefined, "17.6", "a third number is ignored here"],
  ["17.7", undefined, "17.10", "the highest where the named one is missing"],
  ["15", undefined, "15.18", "the only one"],
  ["14.5", undefined, undefined, "none of another major version"],
  ["1", undefined, undefined, "1 is not 17"],
  ["17", "17.12", "17.12", "a running version that left the catalogue is not downgraded"],
  ["17.6", "17.12", "17.6", "but where the user asks for it, the Database decides"],
  ["17", "17.6", "17.10", "up, when a higher one has come"],
  ["15", "17.6", "15.18", "a running version of another major does not count"],
] as const) {
  test(`version ${text} while ${running ?? "nothing"} runs is ${expected ?? "none"}: ${why}`, () => {
    assert.equal(versionFor(text, available, running), expected);
  });
}
