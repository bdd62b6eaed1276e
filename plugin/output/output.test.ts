import assert from "node:assert/strict";
import test from "node:test";
import { now, runPlugin } from "../../test/fakes/plugin/world";
import { fakeCluster } from "../../test/fakes/plugin/cluster";
import { everything } from "../../test/fakes/plugin/shop";
import { agoText, bytesText, clockText, durationText, momentText } from "./amounts";
import { cell, columns } from "./columns";

test("durations are told in their largest unit", () => {
  const said = [0, 59, 60, 3599, 3600, 86_399, 86_400, 12 * 86_400, -5].map(durationText);
  assert.deepEqual(said, ["0 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d", "12 d", "0 s"]);
});

test("what is no time is not made one up", () => {
  assert.equal(agoText(undefined, now), "at an unknown time");
  assert.equal(agoText("soon", now), "at an unknown time");
  assert.equal(momentText("soon"), "soon");
  assert.equal(clockText("soon", now), "soon");
});

test("times are those of UTC, with the day where that is another one", () => {
  assert.equal(momentText("2026-11-23T09:12:31.5Z"), "2026-11-23 09:12 UTC");
  assert.equal(clockText("2026-11-27T09:12:31Z", now), "09:12:31");
  assert.equal(clockText("2026-11-26T09:12:31Z", now), "2026-11-26 09:12:31");
});

test("sizes have three digits at most", () => {
  const sizes = [0, 1023, 1024, 1536, 154_010, 4_402_341_478, 2 ** 60].map(bytesText);
  assert.deepEqual(sizes, ["0 B", "1023 B", "1 KiB", "1.5 KiB", "150 KiB", "4.1 GiB", "1024 PiB"]);
});

test("columns are as wide as their texts, colors not counted, and nothing is behind the last", () => {
  const red = (text: string): string => `\x1b[31m${text}\x1b[0m`;
  const rows = [
    [cell("a"), cell("b", red), cell("")],
    [cell("long"), cell("→→"), cell("x")],
  ];
  assert.deepEqual(columns(rows), [`a      ${red("b")}`, "long   →→   x"]);
});

const cluster = fakeCluster({ objects: everything });
const isColored = async (line: string, given: object): Promise<boolean> =>
  (await runPlugin(line, { cluster, ...given })).out.includes("\x1b[");

test("colors are for terminals, unless they are not wanted", async () => {
  assert.equal(await isColored("status orders", {}), false);
  assert.equal(await isColored("status orders", { isTerminal: true }), true);
  assert.equal(await isColored("status orders", { isTerminal: true, environment: { NO_COLOR: "1" } }), false);
  assert.equal(await isColored("status orders", { isTerminal: true, environment: { TERM: "dumb" } }), false);
  assert.equal(await isColored("status orders --color=never", { isTerminal: true }), false);
  assert.equal(await isColored("status orders --color=always", { environment: { NO_COLOR: "1" } }), true);
  assert.equal(await isColored("status orders -o json", { isTerminal: true }), false);
});

test("a cell is on one line", () => {
  assert.deepEqual(columns([[cell("17.4\n  and\n"), cell("x")]]), ["17.4 and   x"]);
});
