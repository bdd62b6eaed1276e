import assert from "node:assert/strict";
import test from "node:test";
import { specOf } from "../../test/fakes/specs";
import { engines } from "../stack/engines";
import type { Catalogue } from "../api/catalogue";
import { answerAdmission } from "./validate";
import { verdictOn, type AdmissionReads } from "./verdict";
import type { Ran } from "./upgrade";

const catalogue: Catalogue = {
  postgresql: {
    "15.20": { image: "server:15" },
    "17.12": { image: "server:17", upgrade: { image: "upgrade:17", from: "15.20" } },
    "17.13": { image: "server:17.13" },
  },
};

const at: AdmissionReads = {
  catalogue: () => catalogue,
  engines,
  configSource: () => Promise.resolve({}),
  volumes: {
    canGrow: () => Promise.resolve(true),
    classOf: () => Promise.resolve(undefined),
    isKept: () => Promise.resolve(false),
  },
  placement: { problemOf: () => Promise.resolve(undefined) },
  secretKeys: () => Promise.resolve(undefined),
  database: () => undefined,
};

type Spec = Record<string, unknown>;

/** What is said of a change; `ran`: by the status before. */
async function saidOf(before: Spec, after: Spec, ran: Ran, reads = at): Promise<string> {
  const change = { namespace: "team", name: "shop", before: specOf(before), after: specOf(after), ran };
  const { problems, warnings } = await verdictOn(change, reads);
  return [...problems.map((text) => `REFUSED ${text}`), ...warnings].join("\n");
}

const [former, next] = [{ version: "15.20" }, { version: "17.12" }];
const upgradeIn = (phase: string, version = "15.20"): Ran => ({
  version,
  upgrade: { from: "15.20", to: "17.12", phase },
});

test("an upgrade that begins is let through, and its author warned of the downtime that follows without a question", async () => {
  const said = await saidOf(former, next, former);
  assert.match(
    said,
    /^spec\.version: a major upgrade from 15\.20 to 17\.12 begins:.*down.*version: "15\.20" takes it back/,
  );
  assert.doesNotMatch(said, /REFUSED|spec\.upgrade\.confirmed: is/);
  assert.match(
    await saidOf(former, { ...next, upgrade: { confirmed: "17.12" } }, former),
    /spec\.upgrade\.confirmed: is "17\.12" before that version is known to run, and confirms nothing/,
  );
});

test("a rehearsal that leaves a volume behind is told of", async () => {
  const keeping = { ...at, volumes: { ...at.volumes, isKept: () => Promise.resolve(true) } };
  const warning =
    /^spec\.version: the StorageClass has reclaimPolicy Retain, so the PersistentVolume of the rehearsal/m;
  assert.match(await saidOf(former, next, former, keeping), warning);
  assert.doesNotMatch(await saidOf(next, { ...next, replicas: 2 }, next, keeping), warning);
});

test("what cannot begin is refused in the words of the reconcile", async () => {
  assert.match(
    await saidOf(former, { version: "17.13" }, former),
    /REFUSED spec\.version: no image of the catalogue carries 15\.20 over to 17\.13; it has one for 17\.12/,
  );
  const bare = { backup: { enabled: false } };
  assert.match(
    await saidOf({ ...former, ...bare }, { ...next, ...bare }, former),
    /REFUSED spec\.version: a major upgrade is rehearsed with a backup on a volume: write backup\.enabled: true/,
  );
  assert.match(await saidOf(next, former, next), /REFUSED spec\.version: cannot go down from 17\.12/);
});

test("a version that never ran, and one within a major version, are no matter of upgrades", async () => {
  assert.doesNotMatch(await saidOf(next, former, {}), /REFUSED|upgrade/);
  assert.doesNotMatch(await saidOf(next, { version: "17.13" }, next), /REFUSED|upgrade/);
});

test("parameters are judged for the version that runs meanwhile, too: when it begins, and while it is in progress", async () => {
  const config = { allow_alter_system: "off" };
  const problem = /REFUSED spec\.config: .*allow_alter_system.*unknown to PostgreSQL 15\.20/;
  assert.match(await saidOf(former, { ...next, config }, former), problem);
  assert.match(await saidOf(next, { ...next, config }, upgradeIn("Rehearsing")), problem);
  assert.doesNotMatch(await saidOf(next, { ...next, config }, upgradeIn("AwaitingConfirmation", "17.12")), /REFUSED/);
});

test("the way back loses what was written since: once members run the newer version, its author is told so", async () => {
  const loss =
    /^spec\.version: back to 15\.20: all members stop.*what was written with 17\.12 is not in them: it is kept/m;
  assert.match(await saidOf(next, former, upgradeIn("AwaitingConfirmation", "17.12")), loss);
  assert.match(await saidOf(next, former, upgradeIn("Starting", "17.12")), loss);
  assert.doesNotMatch(await saidOf(next, former, upgradeIn("Rehearsing")), /REFUSED|back to/);
  assert.doesNotMatch(
    await saidOf(former, { ...former, replicas: 5 }, upgradeIn("AwaitingConfirmation", "17.12")),
    /back to/,
  );
});

test("no way back is begun to files that are gone", async () => {
  const gone = upgradeIn("AwaitingConfirmation", "17.12");
  const ran: Ran = { ...gone, ...(gone.upgrade && { upgrade: { ...gone.upgrade, wayBack: "Gone" } }) };
  assert.match(
    await saidOf(next, former, ran),
    /REFUSED spec\.version: shop-0 has no files of 15\.20 any more, .*restore.*; write 17\.12/,
  );
  assert.doesNotMatch(await saidOf(next, { ...next, replicas: 2 }, ran), /REFUSED/);
});

test("the way back is open although the catalogue has the former version no more", async () => {
  const lost = { ...at, catalogue: () => ({ postgresql: { "17.12": { image: "server:17" } } }) };
  assert.doesNotMatch(await saidOf(next, former, upgradeIn("AwaitingConfirmation", "17.12"), lost), /REFUSED/);
  assert.match(await saidOf(next, former, {}, lost), /REFUSED spec\.version: the catalogue has no postgresql 15\.20/);
});

test("a confirmation removes files for good, and its author is told which", async () => {
  const confirmed = (version: string): Spec => ({ upgrade: { confirmed: version } });
  const forth = await saidOf(next, { ...next, ...confirmed("17.12") }, upgradeIn("AwaitingConfirmation", "17.12"));
  assert.match(forth, /^spec\.upgrade\.confirmed: 17\.12 is confirmed: the files of 15\.20 are removed.*no way back/m);
  const back = await saidOf(former, { ...former, ...confirmed("15.20") }, upgradeIn("AwaitingConfirmation"));
  assert.match(back, /the files of 17\.12 are removed.*what was written with 17\.12 goes with them/);
  for (const [version, ran] of [
    ["15.20", upgradeIn("AwaitingConfirmation", "17.12")],
    ["17.12", upgradeIn("Rehearsing")],
  ] as const)
    assert.doesNotMatch(await saidOf(next, { ...next, ...confirmed(version) }, ran), /is confirmed:/);
});

test("a confirmation that is written too early counts for nothing, and its author is told so", async () => {
  for (const phase of ["Rehearsing", "Gathering", "Starting"])
    assert.match(
      await saidOf(next, { ...next, upgrade: { confirmed: "17.12" } }, upgradeIn(phase)),
      /^spec\.upgrade\.confirmed: is "17\.12" before that version is known to run, and confirms nothing/m,
    );
});

test("a pause while members are stopped keeps them so, and its author is told", async () => {
  const paused = { ...next, paused: true };
  assert.match(await saidOf(next, paused, upgradeIn("Converting")), /^spec\.paused: .*\(Converting\).*do not start/m);
  assert.doesNotMatch(await saidOf(next, paused, upgradeIn("AwaitingConfirmation", "17.12")), /spec\.paused/);
});

test("what the status said is read from the object as it was", async () => {
  const object = (version: string): unknown => ({
    spec: { engine: "postgresql", version },
    status: { version: "17.12", upgrade: { from: "15.20", to: "17.12", phase: "AwaitingConfirmation" } },
  });
  const request = {
    ...{ uid: "1", kind: { group: "example.com", version: "v1", kind: "Database" }, operation: "UPDATE" },
    ...{ name: "shop", namespace: "team", object: object("15.20"), oldObject: object("17.12") },
  };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const answer = await answerAdmission(JSON.stringify(review), at);
  assert.match(JSON.stringify(answer), /"allowed":true.*what was written with 17\.12/);
});
