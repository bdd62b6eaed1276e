import assert from "node:assert/strict";
import test from "node:test";
import { refusedExitCode } from "../contract/upgrade-report";
import type { UpgradeJob, UpgradeStep } from "./args";
import { lastBackupOf } from "./backup";
import { engineOf } from "./engines/available";
import { postgresql } from "./engines/postgresql";
import { disruptionsIgnored, scheduledAt } from "./job";
import { readOnlyServiceOf } from "./services";
import { duringUpgrade, membersOf, settingsOf, type Settings } from "./settings";
import { upgradeJobOf, upgradePodOf } from "./upgrade";
import { memberPodOf, statefulSetOf } from "./workload";

const resources = { limits: { memory: "4Gi", cpu: "2" } };

const settingsWith = (upgrade?: UpgradeStep): Settings =>
  settingsOf("db", {
    ...{ namespace: "default", engine: "postgresql", version: "15.20", image: "image:15", replicas: 3, resources },
    ...(upgrade !== undefined && { upgrade }),
  });

const job: UpgradeJob = { act: "return", image: "upgrade:1", from: "15.20", to: "17.12", request: "to 17.12" };

test("each act has the image of both versions, and is told major versions alone, the former one first", () => {
  for (const act of ["rehearse", "convert", "return"] as const) {
    const [container] = upgradePodOf(settingsWith(), postgresql, { ...job, act })?.containers ?? [];
    assert.equal(container?.image, "upgrade:1");
    const { UPGRADE_ACT, UPGRADE_FROM, UPGRADE_TO } = container.env ?? {};
    assert.deepEqual([UPGRADE_ACT, UPGRADE_FROM, UPGRADE_TO], [act, "15", "17"]);
  }
});

test("files of the target that were put aside come back as those of the former version do", () => {
  const [container] = upgradePodOf(settingsWith(), postgresql, { ...job, act: "reinstate" })?.containers ?? [];
  const { UPGRADE_ACT, UPGRADE_FROM, UPGRADE_TO } = container?.env ?? {};
  assert.deepEqual([UPGRADE_ACT, UPGRADE_FROM, UPGRADE_TO], ["return", "17", "15"]);
});

test("what is carried out, or taken back, has the volume of the first member; a rehearsal its room alone, and reserves none", () => {
  const look = (act: UpgradeJob["act"]): unknown[] => {
    const pod = upgradePodOf(settingsWith(), postgresql, { ...job, act });
    const data = pod?.volumes.find(({ name }) => name === "data");
    return [
      data && ("persistentVolumeClaim" in data ? data.persistentVolumeClaim.claimName : Object.keys(data)),
      pod?.containers[0]?.resources.limits?.memory,
    ];
  };
  assert.deepEqual(look("convert"), ["data-db-0", "4Gi"]);
  assert.deepEqual(look("return"), ["data-db-0", "4Gi"]);
  const [rehearsal] = upgradePodOf(settingsWith(), postgresql, { ...job, act: "rehearse" })?.containers ?? [];
  assert.equal(rehearsal?.resources.requests?.memory, "64Mi");
  assert.equal(rehearsal.env?.["UPGRADE_VOLUME_BYTES"], String(10 * 1024 ** 3));
  assert.deepEqual(look("rehearse"), [["name", "ephemeral"], "4Gi"]);
});

test("the Job says which step it is where its pods are asked, so that another step's Job is told from it", () => {
  const { template } = upgradeJobOf(settingsWith(), job, { containers: [] }).spec as {
    template: { metadata: { annotations: Record<string, string> } };
  };
  assert.deepEqual(template.metadata.annotations, { "database.example.com/upgrade": "to 17.12" });
});

test("members are all, the first, or none, and none waits for what is not there", () => {
  const found = (["all", "one", "none"] as const).map((members) => {
    const settings = settingsWith({ members });
    const { suspend } = scheduledAt(settings, "0 0 * * *");
    const selector = JSON.stringify(readOnlyServiceOf(duringUpgrade(settings), postgresql).spec);
    return [membersOf(settings), duringUpgrade(settings).replicas, suspend, selector.includes("replica")];
  });
  assert.deepEqual(found, [
    [3, 3, undefined, true],
    [1, 1, true, false],
    [0, 1, true, false],
  ]);
});

test("the backup before an upgrade is taken while schedules continue, as it may wait for a person", () => {
  const settings = settingsWith({ members: "all", backup: "uid/17.12" });
  assert.equal(lastBackupOf(settings), "uid/17.12");
  assert.equal(scheduledAt(settings, "0 0 * * *").suspend, undefined);
});

test("a refusal is not repeated while no member serves", () => {
  const { podFailurePolicy } = upgradeJobOf(settingsWith(), job, { containers: [] }).spec as {
    podFailurePolicy: unknown;
  };
  const onExitCodes = { containerName: "upgrade", operator: "In", values: [refusedExitCode] };
  assert.deepEqual(podFailurePolicy, {
    rules: [...disruptionsIgnored.rules, { action: "FailJob", onExitCodes }],
  });
});

test("an upgrade changes nothing of the pod of a member: its version and image do", () => {
  const templateOf = (settings: Settings): unknown => {
    const { template } = statefulSetOf(settings, postgresql, { containers: [] }).spec as { template: unknown };
    return [template, memberPodOf(settings, postgresql)];
  };
  for (const members of ["all", "one", "none"] as const)
    assert.deepEqual(templateOf(settingsWith({ members, removesOthers: true })), templateOf(settingsWith()));
});

test("what is noted of an upgrade is on the StatefulSet, and not on its pods", () => {
  const annotated = (upgrade?: UpgradeStep): unknown[] => {
    const { metadata, spec } = statefulSetOf(settingsWith(upgrade), postgresql, { containers: [] });
    return [JSON.stringify(metadata).includes("where it is"), JSON.stringify(spec).includes("where it is")];
  };
  assert.deepEqual(annotated({ members: "one", note: "where it is" }), [true, false]);
  assert.deepEqual(annotated(), [false, false]);
});

test("that files of others may go is said for the major version that runs, and only then", () => {
  const { data } = postgresql.configuration(settingsWith({ members: "all", removesOthers: true }));
  assert.deepEqual(data, { "removes-files-beside": "15" });
  assert.equal(postgresql.configuration(settingsWith({ members: "all" })).data, undefined);
});

test("of other engines there is no such Job", () => {
  for (const name of ["mysql", "mongodb"] as const)
    assert.equal(upgradePodOf({ ...settingsWith(), engine: name }, engineOf(name), job), undefined);
});
