import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { numberText, ratioText, tableText } from "./table";

test("figures are shown with as many digits as they deserve", () => {
  const texts = [0.1234, 1.234, 12.34, 123.4, 0, 1000, null].map(numberText);
  assert.deepEqual(texts, ["0.123", "1.23", "12.3", "123", "0", "1000", "–"]);
});

test("ratios are shown as factors", () => {
  assert.deepEqual([12.3, 4.04, 0.333, undefined].map(ratioText), ["12×", "4.0×", "0.33×", "–"]);
});

test("a row shows figures, ratios, target and verdict in line with its head", () => {
  const text = tableText([
    { name: "create_p50_s", unit: "s", ours: 0.25, stock: 1.9, floor: 0.05 },
    { name: "resync_1000_writes", unit: "", ours: 3, stock: null, floor: null },
  ]);
  const [head = "", first = "", second = ""] = stripVTControlCharacters(text).split("\n");
  assert.match(
    first,
    /^create_p50_s +0\.250 +1\.90 +0\.050 +s +7\.6× +0\.20× +≤ 0\.3, 4 × quicker than stock +reached$/,
  );
  assert.match(second, /^resync_1000_writes +3 +– +– +– +– +0 +not reached$/);
  assert.equal(head.indexOf("ours") + 4, first.indexOf("0.250") + 5);
});
