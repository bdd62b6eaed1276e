import assert from "node:assert/strict";
import test from "node:test";
import { engineNames } from "../contract/engines";
import type { ObjectStorage } from "./args";
import {
  backupCronJobOf,
  backupPodOf,
  finalBackupJobOf,
  firstBackupJobOf,
  keptBackupsOf,
  unheededPaths,
} from "./backup";
import { engineOf } from "./engines/available";
import { settingsOf } from "./settings";

for (const name of engineNames) {
  test(`to keep a backup of ${name} changes one ConfigMap, and neither repeats a Job nor changes one`, () => {
    const of = (kept: readonly string[]): Record<string, unknown> => {
      const settings = settingsOf("shop", {
        ...{ namespace: "team", engine: name, version: "1.0", image: "i:1" },
        backup: { kept },
      });
      const spec = { containers: [] };
      const jobs = [firstBackupJobOf(settings, spec), finalBackupJobOf(settings, "u/1", spec)];
      return {
        jobs: [...jobs, backupCronJobOf(settings, spec), backupPodOf(settings, engineOf(name))],
        kept: keptBackupsOf(settings).data,
      };
    };
    const [none, two] = [of([]), of(["shop-20261121T020003Z", "shop-20261122T020003Z"])];
    assert.deepEqual(none["jobs"], two["jobs"]);
    assert.deepEqual(none["kept"], { kept: "" });
    assert.deepEqual(two["kept"], { kept: "shop-20261121T020003Z shop-20261122T020003Z" });
  });
}

const s3: ObjectStorage = { bucket: "backups", endpoint: "https://s3.example.com", credentials: "s3" };

/** The pod of its Jobs: the first one runs again where it changes. */
function podOf(change: Partial<ObjectStorage>, storage = "10Gi"): unknown {
  const options = { namespace: "shop", engine: "postgresql", version: "17.12", image: "x", storage } as const;
  return backupPodOf(
    settingsOf("orders", { ...options, backup: { s3: { ...s3, ...change } } }),
    engineOf("postgresql"),
  );
}

test("a backup is taken at once where other storage is meant, or it is reached in another way", () => {
  const changes: readonly Partial<ObjectStorage>[] = [
    { bucket: "others" },
    { prefix: "prod" },
    { endpoint: "https://s3.example.org" },
    { region: "eu-west-1" },
    { pathStyle: true },
    { credentials: "other" },
    { ca: "ca" },
  ];
  for (const change of changes) assert.notDeepEqual(podOf(change), podOf({}), JSON.stringify(change));
  assert.deepEqual(podOf({}, "20Gi"), podOf({}), "its settings say how much WAL may wait");
  assert.deepEqual(podOf({ region: "us-east-1", pathStyle: false }), podOf({}));
});

const placedPaths = ["nodeSelector", "tolerations", "priorityClassName", "imagePullSecrets"];
for (const [what, options, paths] of [
  ["one that succeeded", {}, [...placedPaths, "affinity"]],
  [
    "one that has the volume where changes go",
    { backup: { pointInTime: true } },
    [...placedPaths, "affinity.nodeAffinity"],
  ],
  ["one that has not succeeded", { retriesFirstBackup: true }, []],
] as const) {
  test(`the place and the metadata of its pod alone do not repeat a first backup: ${what}`, () => {
    const base = { namespace: "shop", engine: "mysql", version: "9.7", image: "x" } as const;
    const all = [
      ...(paths.length > 0 ? ["spec.template.metadata.annotations", "spec.template.metadata.labels"] : []),
      ...paths.map((path) => `spec.template.spec.${path}`),
    ];
    assert.deepEqual(unheededPaths(settingsOf("orders", { ...base, ...options })).sort(), all.sort());
  });
}
