import assert from "node:assert/strict";
import test from "node:test";
import { begunUpgrade, type Upgrade } from "../domain/upgrade";
import { upgradeNotes } from "./upgrade";

const images = { from: "server:15", to: "server:17", job: "upgrade:17" };
const begun = begunUpgrade("uid", { from: "15.20", to: "17.12", images });
const said = (change: Partial<Upgrade>, wanted: string): string =>
  upgradeNotes({ ...begun, ...change }, wanted).join("\n");

test("of no upgrade nothing is said", () => {
  assert.deepEqual(upgradeNotes(undefined, "17.12"), []);
});

test("before a rehearsal the phases are told in their order, and that the rehearsal will tell the time", () => {
  assert.match(
    said({}, "17.12"),
    /Without interruption: it is rehearsed.*\nthen clients notice.*down.*\n.*the rehearsal will tell.*\n.*go/s,
  );
});

test("after a rehearsal the time that it took is told", () => {
  assert.match(
    said({ phase: "BackingUp", announcedSeconds: 7 }, "17.12"),
    /in progress: a last backup.*the rehearsal took 7 s/s,
  );
});

test("taken back: nothing happens before members stop, and after that what was written since is not in the former files", () => {
  assert.match(said({}, "15.20"), /^the upgrade is called off; 15\.20 runs as before/);
  const converted = { phase: "AwaitingConfirmation", files: "to", keeps: true } as const;
  assert.match(
    said(converted, "15.20"),
    /back to 15\.20: all members stop.*what was written with 17\.12 is kept.*not in those of 15\.20/s,
  );
  assert.match(said({ phase: "Gathering" }, "15.20"), /members start with the files that they have/);
});

test("at rest it says where it is, and no word of a way that has been gone", () => {
  const converted = { phase: "AwaitingConfirmation", files: "to", keeps: true } as const;
  assert.equal(upgradeNotes({ ...begun, ...converted }, "17.12").length, 1);
  assert.match(said({ ...converted, heading: "from", files: "from" }, "15.20"), /15\.20 runs again/);
});

test("of a third version it says what is in progress", () => {
  assert.match(said({ phase: "Converting" }, "18.1"), /^an upgrade from 15\.20 to 17\.12 is in progress/);
});
