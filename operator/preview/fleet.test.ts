import assert from "node:assert/strict";
import test from "node:test";
import type { Effect } from "../../contract/effects";
import { fleetCells, fleetRows, fleetTotals, type FleetEntry } from "./fleet";
import { fleetText } from "./fleet-text";
import { colors, render } from "./render";
import { waitsText } from "./waits";

type Report = FleetEntry["report"];

const planned = (effect: Effect, some: Partial<Report> = {}): Report => ({
  outcome: "Planned",
  consequences: [
    { effect: "None", members: [], message: "backups stay" },
    { effect, members: ["a-1", "a-0"], message: `it is ${effect}` },
    { effect, members: ["a-0"], message: "and again" },
  ],
  ...some,
});

const entries: readonly FleetEntry[] = [
  { database: "shop/still", report: { outcome: "Unchanged", consequences: [] } },
  { database: "shop/reloads", report: planned("Reload") },
  { database: "shop/waits", report: planned("DataLoss", { waits: waitsText(["approval (DataLoss)"]) }) },
  { database: "shop/paused", report: planned("Downtime", { paused: true }) },
  { database: "shop/restarts", report: planned("RollingRestart") },
  { database: "bank/restarts", report: planned("RollingRestart") },
  { database: "shop/stops", report: planned("Downtime") },
  { database: "shop/gone", report: { outcome: "Stalled", reason: "VersionUnavailable", message: "there is no 17.6" } },
  { database: "shop/secret", report: { outcome: "Refused", message: "you may not write it" } },
];

test("those that a person must see to come first, then those that it hurts most, and those that notice nothing last", () => {
  assert.deepEqual(
    fleetRows(entries).map(({ namespace, name }) => `${namespace}/${name}`),
    [
      ...["shop/gone", "shop/secret", "shop/stops", "bank/restarts", "shop/restarts"],
      ...["shop/waits", "shop/paused", "shop/reloads", "shop/still"],
    ],
  );
});

test("a line says what happens, to how many members, what it waits for, and why", () => {
  const cells = new Map(fleetRows(entries).map((row) => [row.name, fleetCells(row).slice(2)]));
  assert.deepEqual(cells.get("stops"), ["Downtime", "2", "–", "it is Downtime"]);
  assert.deepEqual(cells.get("waits"), ["DataLoss", "2", "approval (DataLoss)", "it is DataLoss"]);
  assert.deepEqual(cells.get("paused"), ["Downtime", "2", "spec.paused", "it is Downtime"]);
  assert.deepEqual(cells.get("reloads"), ["Reload", "–", "–", "it is Reload"]);
  assert.deepEqual(cells.get("still"), ["None", "–", "–", ""]);
  assert.deepEqual(cells.get("gone"), ["NOT TOLD", "–", "–", "VersionUnavailable: there is no 17.6"]);
});

test("of what happens beside a release of the operator it is told for what that waits", () => {
  const release = { waits: waitsText(["approval (Downtime)"]), effect: "Downtime" as const, consequences: [] };
  const [row] = fleetRows([{ database: "shop/beside", report: planned("RollingRestart", { release }) }]);
  assert.ok(row !== undefined);
  assert.equal(row.fate, "Interrupted");
  assert.deepEqual(fleetCells(row).slice(2, 5), ["RollingRestart", "2", "the release: approval (Downtime)"]);
});

test("all are counted, and it is said which restart first where it is the platform that asks", () => {
  const rows = fleetRows(entries);
  const counts = "9 Databases: 2 cannot be told, or would be refused, 3 interrupted, 2 wait, 2 notice nothing";
  assert.deepEqual(fleetTotals(rows, { byPlatform: false }), [counts]);
  assert.match(fleetTotals(rows, { byPlatform: true })[1] ?? "", /goes first/);
  assert.deepEqual(fleetTotals([], { byPlatform: true }), ["0 Databases: 0 interrupted, 0 wait, 0 notice nothing"]);
});

test("what waits for room on a node alone is interrupted as soon as there is some", () => {
  const restart = { effect: "RollingRestart", members: ["a-1"], message: "it restarts" } as const;
  const noRoom = [restart, { ...restart, waitsFor: "room on a node" }];
  const [row] = fleetRows([{ database: "shop/full", report: { outcome: "Planned", consequences: noRoom } }]);
  assert.deepEqual([row?.fate, row?.waitsFor], ["Interrupted", "room on a node"]);
});

test("a terminal does nothing that a message asks for", () => {
  const message = "no \u001b]0;title\u0007\u001b[2Jparameter";
  const all = [{ kind: "failed", database: "shop/a", message }] as const;
  for (const text of [fleetText(all), render(all, colors)])
    assert.ok(text.includes("no ]0;title[2Jparameter"), JSON.stringify(text));
  assert.ok(render(all, colors).includes("\u001b[31m"), "colors stay");
});

test("as text it is a table with its totals, whatever messages are made of", () => {
  const text = fleetText([{ kind: "failed", database: "shop/a", message: "two\nlines" }]);
  const [headings, line, empty, total] = text.split("\n");
  assert.match(headings ?? "", /^NAMESPACE {3}NAME {3}EFFECT {5}MEMBERS {3}WAITS FOR {3}WHY$/);
  assert.match(line ?? "", /^shop {8}a {6}NOT TOLD {3}– {9}– {11}two lines$/);
  assert.deepEqual([empty, total?.slice(0, 12)], ["", "1 Database: "]);
  assert.match(fleetText([], ["By the policies of now."]), /\nBy the policies of now\.\n$/);
});
