import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isWrite, requestIn, requestsIn } from "./audit";

const line = (second: number, verb: string, stage = "ResponseComplete", user = "operator"): string =>
  JSON.stringify({
    stage,
    verb,
    user: { username: user },
    userAgent: "agent",
    requestReceivedTimestamp: `2026-01-01T00:00:0${second}.000000Z`,
  });
const at = (second: number): number => Date.parse(`2026-01-01T00:00:0${second}.000Z`);

test("a request counts once, when it was answered; a line that is cut off counts for nothing", () => {
  assert.deepEqual(requestIn(line(1, "patch")), { verb: "patch", user: "operator", agent: "agent", at: at(1) });
  assert.equal(requestIn(line(1, "watch", "ResponseStarted")), undefined);
  assert.equal(requestIn(line(1, "patch").slice(0, 20)), undefined);
});

test("reads are not writes", () => {
  const verbs = ["get", "list", "watch", "create", "patch", "delete"];
  const requests = verbs.map((verb) => requestIn(line(1, verb))).filter((request) => request !== undefined);
  assert.deepEqual(
    requests.filter(isWrite).map(({ verb }) => verb),
    ["create", "patch", "delete"],
  );
});

test("requests of a span are found in the log and in the one that was put away", async () => {
  const directory = await mkdtemp(join(tmpdir(), "audit-test-"));
  try {
    await writeFile(join(directory, "audit-2026.log"), [line(1, "get"), line(2, "patch")].join("\n"));
    await writeFile(
      join(directory, "audit.log"),
      [line(3, "create"), line(3, "create", "ResponseComplete", "somebody"), line(5, "delete")].join("\n"),
    );
    const found = await requestsIn(join(directory, "audit.log"), { from: at(2), to: at(4) }, '"operator"');
    assert.deepEqual(found.map(({ verb }) => verb).sort(), ["create", "patch"]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
