import assert from "node:assert/strict";
import test from "node:test";
import { durationText, progressOn, progressTo } from "./progress";

test("plain progress says when a step starts and ends, and how it ended", async () => {
  const lines: string[] = [];
  const progress = progressTo((line) => lines.push(line));
  assert.equal(await progress.step("etcd", () => Promise.resolve(7)), 7);
  await assert.rejects(
    progress.step("nodes", () => Promise.reject(new Error("no"))),
    /no/,
  );
  const seen = lines.map((line) => line.replace(/ \d+\.\ds$/, " TIME"));
  assert.deepEqual(seen, ["… etcd", "✓ etcd TIME", "… nodes", "✗ nodes TIME"]);
});

test("on a terminal a step is one line that never wraps", async () => {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 30, write: (text: string) => written.push(text) };
  await progressOn(stream).step("a".repeat(100), () => Promise.resolve());
  assert.equal(written[0]?.replace("\r\x1b[K", "").length, 29);
  assert.equal(written.join("").split("\n").length, 2);
});

const durations: Readonly<Record<string, number>> = {
  "0.0s": 4,
  "12.3s": 12_345,
  "59.9s": 59_949,
  "1m00s": 60_000,
  "2m05s": 125_400,
};
for (const [text, milliseconds] of Object.entries(durations)) {
  test(`${milliseconds} ms are shown as ${text}`, () => {
    assert.equal(durationText(milliseconds), text);
  });
}
