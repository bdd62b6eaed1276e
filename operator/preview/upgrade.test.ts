import assert from "node:assert/strict";
import test from "node:test";
import type { Consequence } from "../consequences/consequence";
import { begunUpgrade, type Upgrade } from "../domain/upgrade";
import { upgradeConsequences, type UpgradeAsked } from "./upgrade";

const images = { from: "server:15", to: "server:17", job: "upgrade:17" };
const begun = begunUpgrade("uid", { from: "15.20", to: "17.12", images });
const asked: UpgradeAsked = {
  ...{
    name: "shop",
    wanted: "17.12",
    confirmed: undefined,
    replicas: 3,
    storage: "20Gi",
    begins: false,
    leavesVolume: false,
  },
};
const told = (change: Partial<Upgrade>, some: Partial<UpgradeAsked> = {}): Consequence[] =>
  upgradeConsequences({ ...begun, ...change }, { ...asked, ...some });
const said = (...given: Parameters<typeof told>): string =>
  told(...given)
    .map(({ message }) => message)
    .join("\n");
/** The effects that clients notice, in their order. */
const noticed = (...given: Parameters<typeof told>): unknown =>
  told(...given)
    .filter(({ effect }) => effect !== "None")
    .map(({ effect, members, aboutSeconds }) => [effect, members.join(" "), aboutSeconds]);

const converted = { phase: "AwaitingConfirmation", files: "to", keeps: true, served: true } as const;
const returned = { ...converted, heading: "from", files: "from" } as const;

test("of no upgrade nothing is said", () => {
  assert.deepEqual(upgradeConsequences(undefined, asked), []);
});

test("before it begins all of it is told in its order: rehearsal, backup, fewer members, downtime, images, room, the way back", () => {
  const text = said({}, { begins: true });
  const parts = [
    /^a major upgrade from 15\.20 to 17\.12, in several runs.*first: Job shop-upgrade \(image upgrade:17\) rehearses it/,
    /a volume of 20Gi that goes with it; what pg_upgrade refuses.*nothing changed/,
    /\nthen a last backup is taken; members serve/,
    /\nthen clients notice: shop-1, shop-2 end, and shop-0 takes over.*down while Job shop-upgrade/,
    /\nhow long that takes, the rehearsal will tell.*does not wait for a person/,
    /\nmembers start with image server:17; shop-1, shop-2 are copied again/,
    /\nshop-1, shop-2 need room for a second copy/,
    /\nbeside what the data take up, the volume of shop-0 needs/,
    /\nthe files of 15\.20 are kept on every volume.*version: "15\.20".*confirmed is "17\.12"/,
    /\nbackups that were taken with 15\.20 are not counted by retention/,
    /\nwhat fails before.*brings 15\.20 back by itself/,
  ];
  const places = parts.map((part) => text.search(part));
  assert.ok(!places.includes(-1), `${places.join()}: ${text}`);
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
  assert.doesNotMatch(text, /in progress|does not count|confirms nothing/);
});

test("a way back to files that are gone is not told as if it led anywhere", () => {
  const step = { kind: "stalled", why: "former files are gone" } as const;
  const text = said(converted, { wanted: "15.20", step });
  assert.match(text, /it waits for a person: shop-0 has no files of 15\.20 any more/);
  assert.doesNotMatch(text, /clients are cut off/);
});

test("a confirmation that is written while it is on its way is told to count for nothing", () => {
  assert.match(said({ phase: "BackingUp" }, { confirmed: "17.12" }), /confirms nothing/);
});

test("a volume that the rehearsal leaves behind is told of", () => {
  assert.match(said({}, { begins: true, leavesVolume: true }), /reclaimPolicy Retain, so the PersistentVolume/);
  assert.doesNotMatch(said({ phase: "BackingUp" }, { leavesVolume: true }), /reclaimPolicy/);
});

test("of a single member no other one is told, and no failover", () => {
  const text = said({}, { begins: true, replicas: 1 });
  assert.match(text, /then clients notice: the database is down/);
  assert.doesNotMatch(text, /failover|copied again|second copy/);
});

test("a confirmation that was there before it began is told to count for nothing", () => {
  assert.match(
    said({ disregarded: "17.12" }, { begins: true, confirmed: "17.12" }),
    /is from before, and confirms nothing/,
  );
  assert.doesNotMatch(said({ disregarded: "15.20" }, { begins: true, confirmed: "15.20" }), /confirms nothing/);
});

test("after a rehearsal the time that it took is told, and what is over is not told again", () => {
  const text = said({ phase: "BackingUp", announcedSeconds: 7 });
  assert.match(text, /in progress: a last backup.*the rehearsal took 7 s/s);
  assert.doesNotMatch(said({ phase: "Gathering", announcedSeconds: 7 }), /a last backup is taken|rehearses/);
});

test("taken back: nothing happens before members stop, and after that what was written since is not in the former files", () => {
  const back = { wanted: "15.20" };
  assert.match(said({}, back), /^an upgrade.*in progress.*\nthe upgrade is called off; 15\.20 runs as before/);
  assert.match(
    said(converted, back),
    /back to 15\.20: clients are cut off, all members stop.*what was written with 17\.12 is not in them: it is kept/s,
  );
  assert.match(said({ phase: "Gathering" }, back), /members start with the files that they have/);
  const interrupted = said({ phase: "Converting", files: "either", keeps: true }, back);
  assert.match(interrupted, /all members stop.*all that was acknowledged is in them/s);
  const reinstated = said({ phase: "Converting", files: "either", keeps: true, served: true }, back);
  assert.match(reinstated, /what was written with 17\.12 is not in them/);
});

test("a way back that is broken off goes forward; one that failed is not broken off", () => {
  const stopping = { ...returned, phase: "Stopping", files: "either" } as const;
  assert.match(said(stopping), /the way back to 15\.20 is broken off/);
  assert.doesNotMatch(said({ ...stopping, failed: true }), /broken off/);
  assert.match(said({ ...returned, phase: "Removing" }), /once the files of 17\.12 are gone, the next upgrade/);
});

test("at rest it says where it is, and no word of a way that has been gone", () => {
  assert.equal(upgradeConsequences({ ...begun, ...converted }, asked).length, 1);
  assert.match(said(returned, { wanted: "15.20" }), /15\.20 runs again/);
});

test("a confirmation removes files for good, and what was written with them; an old one does nothing", () => {
  assert.match(
    said(converted, { confirmed: "17.12" }),
    /17\.12 is confirmed: the files of 15\.20.*no way back to 15\.20/,
  );
  assert.match(
    said(returned, { wanted: "15.20", confirmed: "15.20" }),
    /the files of 17\.12 are removed.*what was written with 17\.12 goes with them/,
  );
  assert.doesNotMatch(said(converted, { confirmed: "15.20" }), /is confirmed:/);
  const old = said({ ...converted, disregarded: "17.12" }, { confirmed: "17.12" });
  assert.match(old, /does not count: remove it/);
  assert.doesNotMatch(old, /is confirmed:/);
});

test("what waits for a person is told in the words of the status, with those of its Job", () => {
  const step = { kind: "stalled", why: "rehearsal failed" } as const;
  assert.match(
    said({}, { step, said: "no room" }),
    /it waits for a person: Job shop-upgrade cannot carry 15\.20 over to 17\.12: no room; members are as they were/,
  );
});

test("as data: down for as long as the rehearsal took, and what clients do not find again", () => {
  const all = "shop-0 shop-1 shop-2";
  assert.deepEqual(noticed({}, { begins: true }), [["Downtime", all, undefined]]);
  assert.deepEqual(noticed({ phase: "BackingUp", announcedSeconds: 7 }), [["Downtime", all, 7]]);
  assert.deepEqual(noticed({}, { wanted: "15.20" }), []);
  assert.deepEqual(noticed(converted, { wanted: "15.20" }), [["DataLoss", all, undefined]]);
  const interrupted = { phase: "Converting", files: "either", keeps: true } as const;
  assert.deepEqual(noticed(interrupted, { wanted: "15.20" }), [["Downtime", all, undefined]]);
  assert.deepEqual(noticed({ phase: "Gathering" }, { wanted: "15.20" }), [["Downtime", all, undefined]]);
  assert.deepEqual(noticed({ ...returned, phase: "Stopping", files: "either" }), [["Downtime", all, undefined]]);
  assert.deepEqual(noticed(converted, { confirmed: "17.12" }), []);
  assert.deepEqual(noticed(returned, { wanted: "15.20", confirmed: "15.20" }), [["DataLoss", "", undefined]]);
});
