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
import type { PlannedStep } from "../domain/runner";
import type { Circumstances } from "./circumstances";
import type { Effect } from "../../contract/effects";
import { effectsByMember, type Consequence } from "./consequence";
import { consequencesOf } from "./table";

const told = (steps: readonly PlannedStep[], some: Partial<Circumstances> = {}): string =>
  textOf(consequencesOf(steps, circumstances(some)));
const textOf = (consequences: readonly Consequence[]): string => consequences.map(({ message }) => message).join("\n");

const restart = change('spec.template.metadata.annotations["database.example.com/start-parameters"]', "a", "b");

test("nothing changed means nothing", () => {
  assert.deepEqual(consequencesOf([step("StatefulSet shop", "same")], circumstances()), []);
});

for (const [what, steps, some, expected] of [
  [
    "another image",
    [step("StatefulSet shop", "update", [image])],
    {},
    /all members restart, one after .*another image\): shop-2, shop-0, then the primary shop-1\n.*another member takes over/,
  ],
  [
    "another image, while no member is primary",
    [step("StatefulSet shop", "update", [image])],
    { primary: undefined },
    /another image\): the replicas from the highest number down, then the primary\n/,
  ],
  [
    "another image, and more members",
    [step("StatefulSet shop", "update", [image, change("spec.replicas", 2, 3)])],
    {},
    /another image\): shop-0, then the primary shop-1\n/,
  ],
  [
    "a single member",
    [step("StatefulSet shop", "update", [image])],
    { members: 1 },
    /the one member restarts .*unreachable/,
  ],
  [
    "other resources, for which no node has room",
    [step("StatefulSet shop", "update", [image])],
    { noPlace: "no node has 64Gi of memory (the largest has 15Gi) for a member" },
    /^no node has 64Gi .*: until that changes no member restarts.*\n?all members restart/s,
  ],
  [
    "no node has room, and nothing restarts",
    [step("ConfigMap shop-config", "update", [parameter])],
    { noPlace: "no node takes pods now" },
    /^(?!no node)/,
  ],
  [
    "parameters that need a restart",
    [step("StatefulSet shop", "update", [restart]), step("ConfigMap shop-config", "update", [parameter])],
    {},
    /all members restart.*take effect only at a restart/,
  ],
  [
    "parameters that need no restart",
    [step("ConfigMap shop-config", "update", [parameter])],
    {},
    /^parameters apply within seconds.*\nno member restarts$/,
  ],
  [
    "synchronous commit",
    [
      step("ConfigMap shop-config", "update", [
        change("metadata.annotations.config", configuration("4MB"), configuration("4MB", true)),
      ]),
    ],
    {},
    /^a commit waits/,
  ],
  [
    "more members",
    [step("StatefulSet shop", "update", [change("spec.replicas", 3, 5)])],
    { members: 5 },
    /^2 members are added.*\nno member restarts$/,
  ],
  [
    "fewer members",
    [step("StatefulSet shop", "update", [change("spec.replicas", 3, 1)])],
    { members: 1 },
    /^shop-2, shop-1 are removed, and connections to them end; their volumes are kept/,
  ],
  [
    "fewer members, with the primary among them",
    [step("StatefulSet shop", "update", [change("spec.replicas", 3, 1)])],
    { members: 1 },
    /^shop-2, shop-1 are removed.*\nshop-1 is the primary: another member takes over/,
  ],
  [
    "fewer members, but not the primary",
    [step("StatefulSet shop", "update", [change("spec.replicas", 3, 2)])],
    { members: 2 },
    /^shop-2 is removed, and connections to it end; its volume is kept[^\n]*\nno member restarts$/,
  ],
  [
    "a member that no node has room for",
    [step("StatefulSet shop", "update", [change("spec.replicas", 3, 4)])],
    { members: 4, noPlace: "no node takes pods now" },
    /^a member is added; it copies the data first; no node takes pods now: until that changes, it waits\nno member restarts$/,
  ],
  [
    "settings that all members still have",
    [step("StatefulSet shop", "update", [image])],
    { made: madeOf("old", "old", "old") },
    /^no member restarts$/,
  ],
  [
    "settings that some replicas still have",
    [step("StatefulSet shop", "update", [image])],
    { made: madeOf("old", "new", "new") },
    /^2 of 3 members restart, one after the other \(another image\): shop-2, then the primary shop-1; the others have these settings already\nwhen/,
  ],
  [
    "settings that all but a replica still have",
    [step("StatefulSet shop", "update", [image])],
    { made: madeOf("old", "old", "new") },
    /^1 of 3 members restarts \(another image\): shop-2; the others have these settings already$/,
  ],
  [
    "settings that no member ever had",
    [step("StatefulSet shop", "update", [change("spec.template.spec.containers[postgresql].image", "i:1", "i:3")])],
    { made: madeOf("old", "old", "new") },
    /^all members restart/,
  ],
  [
    "another setting while members still restart for an earlier one",
    [step("PersistentVolumeClaim shop-backup", "update", [storage])],
    { made: madeOf("old", "old", "new") },
    /^2 of 3 members restart, one after the other \(an earlier change that is not carried out yet\): shop-0, then the primary shop-1; the others have these settings already\nwhen.*\nthe backup volume grows/,
  ],
  [
    "the end of a pause, before which members restarted",
    [step("StatefulSet shop", "same")],
    { made: madeOf("old", "new", "new") },
    /^1 of 3 members restarts \(an earlier change that is not carried out yet\): shop-0; the others have these settings already$/,
  ],
  [
    "another setting when all members have restarted",
    [step("PersistentVolumeClaim shop-backup", "update", [storage])],
    { made: madeOf("new", "new", "new") },
    /^the backup volume grows.*\nno member restarts$/,
  ],
  [
    "a larger volume",
    [step("PersistentVolumeClaim data-shop-0", "update", [storage])],
    {},
    /^the data volume grows while.*\nno member restarts$/,
  ],
  [
    "a larger backup volume",
    [step("PersistentVolumeClaim shop-backup", "update", [storage])],
    {},
    /^the backup volume grows/,
  ],
  [
    "a schedule",
    [step("CronJob shop-backup", "update", [change("spec.schedule", "a", "b")])],
    {},
    /^backups use the new settings from the next one on/,
  ],
  ["no more backups", [step("CronJob shop-backup", "delete")], {}, /^no more backups are taken/],
  ["a Job that runs again", [step("Job shop-backup-first", "replace")], {}, /^a backup is taken at once/],
  [
    "a Service",
    [step("Service shop-ro", "update", [change("spec.selector.role", "primary", "replica")])],
    {},
    /^shop-ro leads to the replicas/,
  ],
  [
    "a label",
    [step("NetworkPolicy shop", "update", [change("metadata.labels.x", "a", "b")])],
    {},
    /^no member restarts$/,
  ],
  [
    "a policy alone",
    [],
    { asked: [change("spec.deletionPolicy", "Retain", "Delete")] },
    /^a later deletion permanently removes data.*\nno member restarts$/,
  ],
  [
    "the superuser over the network",
    [],
    { asked: [change("spec.superuserAccess", undefined, "Network")] },
    /^the superuser may connect from every pod.*\nno member restarts$/,
  ],
  ["a state that is rebuilt", [step("StatefulSet shop", "create")], { isRebuilt: true }, /^what exists is adopted/],
] as const satisfies readonly (readonly [string, readonly PlannedStep[], Partial<Circumstances>, RegExp])[]) {
  test(`${what}: the consequences are explained`, () => {
    assert.match(told(steps, some), expected);
  });
}

test("a new Database: members, their application's role, and a backup where backups are taken", () => {
  const steps = [step("StatefulSet shop", "create"), step("Job shop-backup-first", "create")];
  assert.match(told(steps, { exists: false }), /^3 members start and elect a primary.*\na first backup/);
  assert.doesNotMatch(told(steps.slice(0, 1), { exists: false, members: 1 }), /backup|elect/);
});

test("what is imported, and from where, is said before anything else", () => {
  const server = { host: "old-db", port: 5432, databases: ["shop"], credentials: "old-db", tls: "Verify" } as const;
  assert.match(
    told([step("Job shop-import", "create")], { exists: false, restore: { server } }),
    /^first a Job imports database shop of old-db:5432 into the first member's volume, .*\n3 members start .*\na first backup/,
  );
});

test("members that a major upgrade stops or starts are told by its phase, and what its first run leaves alone only of that run", () => {
  const stop = step("StatefulSet shop", "update", [change("spec.replicas", 3, 0)]);
  for (const phase of ["Gathering", "Stopping", "Converting", "Starting"] as const)
    assert.equal(told([stop], { phase }), "");
  assert.match(told([stop], { phase: "AwaitingConfirmation" }), /shop-2, shop-1, shop-0 are removed/);
  const job = step("Job shop-upgrade", "create");
  assert.equal(told([job], { phase: "Rehearsing" }), "no member restarts in this step of the upgrade");
  assert.equal(told([job]), "no member restarts");
});

test("the table itself: what is not there yet, what is rebuilt, and what an upgrade leads to", () => {
  const effectsOf = (steps: readonly PlannedStep[], some: Partial<Circumstances>): readonly Effect[] =>
    consequencesOf(steps, circumstances(some)).map(({ effect }) => effect);
  assert.deepEqual(effectsOf([step("StatefulSet shop", "create")], { exists: false }), ["None"]);
  assert.deepEqual(effectsOf([step("StatefulSet shop", "create")], { isRebuilt: true }), ["CannotBeTold"]);
  assert.deepEqual(effectsOf([step("StatefulSet shop", "create")], {}), ["CannotBeTold"]);
  const upgrade = [{ effect: "Downtime", members: ["shop-0"], aboutSeconds: 7, message: "down" }] as const;
  assert.deepEqual(effectsOf([step("Job shop-upgrade", "create")], { upgrade, phase: "BackingUp" }), [
    "Downtime",
    "None",
  ]);
});

test("what a pause holds back waits for its end, and what a deletion would do does not", () => {
  const waiting = (steps: readonly PlannedStep[], some: Partial<Circumstances> = {}): unknown =>
    consequencesOf(steps, circumstances({ isPaused: true, ...some })).map(({ effect, waitsFor }) => [effect, waitsFor]);
  const paused = "spec.paused is true";
  const asked = [change("spec.deletionPolicy", "Retain", "Delete")];
  assert.deepEqual(waiting([step("StatefulSet shop", "update", [image])], { asked, noPlace: "no node has 64Gi" }), [
    ["None", paused],
    ["RollingRestart", paused],
    ["Switchover", paused],
    ["Exposure", undefined],
  ]);
  assert.deepEqual(waiting([step("StatefulSet shop", "create")], { exists: false }), [["None", paused]]);
  assert.deepEqual(waiting([], { isRebuilt: true }), [["CannotBeTold", paused]]);
});

test("a new Database that no node has room for waits for one", () => {
  const at = circumstances({ exists: false, noPlace: "no node has 64Gi" });
  const found = consequencesOf([step("StatefulSet shop", "create")], at);
  assert.ok(found.length > 0 && found.every(({ waitsFor }) => waitsFor === "no node has 64Gi"));
});

test("of each member the weightiest effect counts, and one of which nothing is said stays as it is", () => {
  const found = consequencesOf(
    [step("StatefulSet shop", "update", [image]), step("ConfigMap shop-config", "update", [parameter])],
    circumstances({ made: madeOf("old", "new", "new") }),
  );
  assert.deepEqual(effectsByMember(found, ["shop-0", "shop-1", "shop-2", "shop-3"]), [
    { name: "shop-0", effect: "Reload" },
    { name: "shop-1", effect: "Switchover" },
    { name: "shop-2", effect: "RollingRestart" },
    { name: "shop-3", effect: "None" },
  ]);
});
