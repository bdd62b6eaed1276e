// Each row of the table by itself: what it is for, and what it must be silent about.
import assert from "node:assert/strict";
import test from "node:test";
import {
  circumstances,
  configuration,
  fieldChange as change,
  image,
  madeOf,
  parameter,
  stepOf as step,
  storage,
} from "../../test/fakes/previewed";
import { backupSpecs as specs, commitSpecs as commitsOf, inBucket } from "../../test/fakes/spec-pairs";
import { specOf } from "../../test/fakes/specs";
import type { PlannedStep } from "../domain/runner";
import { factsOf, type Circumstances } from "./circumstances";
import type { Effect } from "../../contract/effects";
import { rows, type RowName } from "./table";

interface RowCase {
  readonly steps?: readonly PlannedStep[];
  readonly at?: Partial<Circumstances>;
  /** What the row says: effect, members, words. */
  readonly says: readonly (readonly [effect: Effect, members: string, message: RegExp])[];
  readonly waitsFor?: string;
}

const noPlace = "no node has 64Gi";
const restarted = [step("StatefulSet shop", "update", [image])];
const fewer = [step("StatefulSet shop", "update", [change("spec.replicas", 3, 1)])];
const dotted = (value: string): string =>
  JSON.stringify({ postgresql: { parameters: { "auto_explain.log_min_duration": value } } });
const member = (parameters: unknown): string => JSON.stringify({ replicas: 3, parameters });

const noSchedule = step("CronJob shop-backup", "delete");
const cases: Readonly<Record<RowName, readonly RowCase[]>> = {
  filling: [
    {
      steps: [step("Job shop-import", "replace")],
      says: [["Downtime", "", /^THE IMPORT BEGINS AGAIN FROM NOTHING: .*wait until it has ended/]],
    },
    {
      steps: [step("Job shop-restore", "create")],
      says: [["Downtime", "", /^the copy of the backup begins again from nothing/]],
    },
    { steps: [step("Job shop-import", "delete"), step("Job shop-init", "replace")], says: [] },
  ],
  replacements: [
    {
      steps: ["PersistentVolumeClaim data-shop-1", "PersistentVolumeClaim shop-backup", "Secret shop-credentials"].map(
        (object) => step(object, "replace"),
      ),
      says: [
        ["DataLoss", "shop-1", /PersistentVolumeClaim data-shop-1 would be deleted and recreated/],
        ["DataLoss", "", /shop-backup/],
        ["DataLoss", "", /Secret/],
      ],
    },
    {
      steps: [step("StatefulSet shop", "replace")],
      says: [["Downtime", "shop-2 shop-1 shop-0", /StatefulSet shop would be deleted/]],
    },
    { steps: [step("Job shop-init", "replace")], says: [] },
  ],
  lostWorkload: [
    { steps: [step("StatefulSet shop", "create")], says: [["CannotBeTold", "", /there is no StatefulSet now/]] },
    { steps: restarted, says: [] },
  ],
  heldRestarts: [
    { steps: restarted, at: { noPlace }, says: [["None", "", /^no node has 64Gi: until that changes/]] },
    { at: { noPlace }, says: [] },
  ],
  restarts: [
    { steps: restarted, says: [["RollingRestart", "shop-2 shop-0 shop-1", /all members restart/]] },
    {
      steps: restarted,
      at: { members: 1, primary: "shop-0" },
      says: [["Downtime", "shop-0", /the one member restarts/]],
    },
    { steps: restarted, at: { noPlace }, says: [["RollingRestart", "shop-2 shop-0 shop-1", /./]], waitsFor: noPlace },
    {
      steps: restarted,
      at: { made: madeOf("old", "new", "old") },
      says: [
        ["RollingRestart", "shop-1", /^1 of 3 members restarts \(another image\): the primary shop-1; the others/],
      ],
    },
    { steps: fewer, at: { members: 1 }, says: [] },
  ],
  standstill: [
    { steps: restarted, says: [] },
    {
      steps: restarted,
      at: { members: 2, needsAll: true },
      says: [["Downtime", "shop-0 shop-1", /^until each of them is back no write is acknowledged: with 2 members/]],
    },
    {
      steps: restarted,
      at: { members: 2, needsAll: true, noPlace },
      says: [["Downtime", "shop-0 shop-1", /./]],
      waitsFor: noPlace,
    },
    { at: { members: 2, needsAll: true }, says: [] },
    { steps: restarted, at: { members: 1, primary: "shop-0", needsAll: true }, says: [] },
  ],
  handover: [
    { steps: restarted, says: [["Switchover", "shop-1", /another member takes over/]] },
    { steps: restarted, at: { primary: undefined }, says: [["Switchover", "", /another member takes over/]] },
    { steps: restarted, at: { noPlace }, says: [["Switchover", "shop-1", /./]], waitsFor: noPlace },
    { steps: restarted, at: { members: 1, primary: "shop-0" }, says: [] },
    { steps: restarted, at: { made: madeOf("old", "old", "new") }, says: [] },
  ],
  growth: [
    {
      steps: [step("StatefulSet shop", "update", [change("spec.replicas", 3, 5)])],
      at: { members: 5 },
      says: [["None", "", /2 members are added/]],
    },
    {
      steps: [step("StatefulSet shop", "update", [change("spec.replicas", 3, 4)])],
      at: { members: 4, noPlace },
      says: [["None", "", /a member is added.*no node has 64Gi: until that changes, it waits$/]],
      waitsFor: noPlace,
    },
    { steps: fewer, at: { members: 1 }, says: [] },
  ],
  shrinkage: [
    {
      steps: fewer,
      at: { members: 1 },
      says: [["Removal", "shop-2 shop-1", /are removed, and connections to them end; their volumes are kept/]],
    },
    { steps: fewer, at: { members: 1, phase: "Gathering" }, says: [] },
  ],
  removedPrimary: [
    { steps: fewer, at: { members: 1 }, says: [["Switchover", "shop-1", /is the primary/]] },
    { steps: fewer, at: { members: 1, primary: "shop-0" }, says: [] },
    { steps: fewer, at: { members: 1, primary: undefined }, says: [] },
  ],
  retention: [
    { at: specs({ retention: 7 }, { retention: 3 }), says: [["DataLoss", "", /^all but the newest 3 backups, and/]] },
    { at: specs({ retention: 7 }, { retention: 1 }), says: [["DataLoss", "", /^all but the newest backup, and/]] },
    { at: specs({ retention: 3 }, { retention: 7 }), says: [] },
    { at: specs({ retention: 7 }, { retention: 3, enabled: false }), says: [] },
    { at: specs({ retention: 7 }, { retention: 3, ...inBucket("one") }), says: [] },
    { at: { specs: { before: undefined, after: specOf({ backup: { retention: 1 } }) } }, says: [] },
  ],
  noMoreBackups: [
    {
      steps: [noSchedule],
      says: [["Exposure", "", /^no more backups are taken; existing ones stay on their volume$/]],
    },
    {
      steps: [noSchedule],
      at: specs(inBucket("one"), { enabled: false }),
      says: [["Exposure", "", /no more changes archived; what is in the bucket stays there$/]],
    },
    { steps: [step("CronJob shop-backup", "update")], says: [] },
    { steps: [step("CronJob shop-verify", "delete")], says: [] },
  ],
  backupPlace: [
    { at: specs({}, inBucket("one")), says: [["Exposure", "", /^there is no backup in the new place/]] },
    { at: specs(inBucket("one"), {}), says: [["Exposure", "", /those in the former one stay, and count no longer$/]] },
    { at: specs(inBucket("one"), inBucket("two")), says: [["Exposure", "", /./]] },
    { at: specs(inBucket("one"), inBucket("one", { credentials: { name: "other" } })), says: [] },
    { at: specs({}, { destination: { volume: { size: "90Gi" } } }), says: [] },
    { at: specs({ enabled: false }, inBucket("one")), says: [] },
    { at: specs({}, { enabled: false, ...inBucket("one") }), says: [] },
  ],
  unconfirmedCommits: [
    { at: commitsOf(true, false), says: [["Exposure", "", /a failover may lose what was committed last/]] },
    { at: { ...commitsOf(true, false), members: 1 }, says: [] },
    { at: commitsOf(false, false), says: [] },
    { at: commitsOf(false, true), says: [] },
    { at: commitsOf(true, false, { engine: "mysql", version: "8.4" }), says: [] },
  ],
  archive: [
    {
      steps: [step("Deployment shop-archive", "create")],
      says: [
        ["None", "", /^shop-archive, a pod that runs all the time/],
        ["None", "", /run on the node of that pod/],
      ],
    },
    {
      steps: [step("Deployment shop-archive", "delete")],
      says: [["Exposure", "", /^shop-archive ends: .* no restore goes to a moment between them/]],
    },
    { steps: [step("Deployment shop-archive", "update")], says: [["None", "", /continues where it was/]] },
    { steps: [step("Deployment other", "delete")], says: [] },
  ],
  parameters: [
    {
      steps: [step("ConfigMap shop-config", "update", [parameter])],
      says: [["Reload", "shop-2 shop-1 shop-0", /within seconds/]],
    },
    {
      steps: [
        step("ConfigMap shop-config", "update", [
          change('data["member.json"]', member({ a: { value: 1 } }), member({ a: { value: 2 } })),
        ]),
      ],
      says: [["Reload", "shop-2 shop-1 shop-0", /within seconds/]],
    },
    // names of extensions' parameters have a dot
    ...[
      change("metadata.annotations.config", dotted("1s"), dotted("2s")),
      change('data["member.json"]', member({ "audit.log": 1 }), member({ "audit.log": 2 })),
    ].map((field) => ({
      steps: [step("ConfigMap shop-config", "update", [field])],
      says: [["Reload", "shop-2 shop-1 shop-0", /within seconds/]] as const,
    })),
    {
      steps: [step("ConfigMap shop-config", "update", [change('data["member.json"]', member({}), "{}")])],
      says: [],
    },
  ],
  commits: [
    {
      steps: [
        step("ConfigMap shop-config", "update", [
          change("metadata.annotations.config", configuration("4MB"), configuration("4MB", true)),
        ]),
      ],
      says: [["Reload", "shop-2 shop-1 shop-0", /^a commit waits until a second member has it/]],
    },
    { steps: [step("ConfigMap shop-config", "update", [parameter])], says: [] },
  ],
  dataVolumes: [
    {
      steps: [0, 1].map((ordinal) => step(`PersistentVolumeClaim data-shop-${ordinal}`, "update", [storage])),
      says: [["None", "", /^the data volumes grow/]],
    },
    { steps: [step("PersistentVolumeClaim shop-backup", "update", [storage])], says: [] },
  ],
  backupVolume: [
    {
      steps: [step("PersistentVolumeClaim shop-backup", "update", [storage])],
      says: [["None", "", /^the backup volume grows/]],
    },
    { steps: [step("PersistentVolumeClaim data-shop-0", "update", [storage])], says: [] },
  ],
  backupSchedule: [
    ...(["create", "update"] as const).map((operation) => ({
      steps: [step("CronJob shop-backup", operation)],
      says: [["None", "", /backups/]] as const,
    })),
    { steps: [step("CronJob shop-backup", "delete")], says: [] },
  ],
  // see archive.test.ts
  backupPods: [],
  drillSchedule: [
    { steps: [step("CronJob shop-verify", "create")], says: [["None", "", /restored by schedule from now on/]] },
    { steps: [step("CronJob shop-verify", "update")], says: [["None", "", /new settings from the next one on/]] },
    { steps: [step("CronJob shop-verify", "delete")], says: [["None", "", /no more backups are restored/]] },
    { steps: [step("CronJob shop-verify", "same")], says: [] },
  ],
  backupAtOnce: [
    { steps: [step("Job shop-backup-first", "create")], says: [["None", "", /^a backup is taken at once/]] },
    { steps: [step("Job shop-backup-first", "delete")], says: [] },
  ],
  initialization: [
    { steps: [step("Job shop-init", "replace")], says: [["None", "", /runs again/]] },
    { steps: [step("Job shop-init", "update")], says: [] },
  ],
  readOnlyAccess: [
    {
      steps: [step("Service shop-ro", "update", [change("spec.selector.role", "replica", "primary")])],
      at: { members: 1 },
      says: [["None", "", /leads to the primary/]],
    },
    { steps: [step("Service shop-ro", "update", [change("metadata.labels.a", "b", "c")])], says: [] },
  ],
  // see services.test.ts
  outsideAccess: [],
  superuserAccess: [
    {
      at: { asked: [change("spec.superuserAccess", "Network", "Local")] },
      says: [["None", "", /connections that are/]],
    },
    { at: { asked: [change("spec.superuserAccess", "Network", "toString")] }, says: [] },
  ],
  // see access.test.ts
  tls: [],
  tlsInSteps: [],
  deletionPolicy: [
    { at: { asked: [change("spec.deletionPolicy", "Retain", "Delete")] }, says: [["Exposure", "", /permanently/]] },
    { at: { asked: [change("spec.deletionPolicy", "Retain", "Snapshot")] }, says: [["None", "", /a last backup/]] },
    { at: { asked: [change("spec.replicas", 3, 4)] }, says: [] },
  ],
};

for (const [name, row] of Object.entries(rows)) {
  const own = Object.entries(cases).find(([of]) => of === name)?.[1] ?? [];
  for (const [index, { steps = [], at, says, waitsFor }] of own.entries()) {
    test(`row ${name}, case ${index + 1}: ${says.map(([effect]) => effect).join(", ") || "says nothing"}`, () => {
      const found = row(factsOf(steps, circumstances(at)));
      assert.deepEqual(
        found.map(({ effect, members }) => [effect, members.join(" ")]),
        says.map(([effect, members]) => [effect, members]),
      );
      for (const [at, [, , words]] of says.entries()) assert.match(found[at]?.message ?? "", words);
      assert.deepEqual(
        found.map((one) => one.waitsFor),
        says.map(() => waitsFor),
      );
    });
  }
}
