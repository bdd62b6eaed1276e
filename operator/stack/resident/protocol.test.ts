import assert from "node:assert/strict";
import test from "node:test";
import { answerOf, cancelLine, configureLine, runLine, type RunCall } from "./protocol";

const call: RunCall = {
  operation: "up",
  project: "databases",
  stack: "team.shop",
  checkpoint: '{"version":3,"checkpoint":{}}',
  salt: "v1:a:v1:b:c",
  program: "127.0.0.1:1",
  refresh: true,
  details: false,
};

test("a run is asked for in one line, with the state as JSON in it", () => {
  const line = runLine("7", call);
  assert(!line.includes("\n"));
  assert.deepEqual(JSON.parse(line), { id: "7", run: { ...call, checkpoint: { version: 3, checkpoint: {} } } });
});

test("what a run may adopt is sent where it is limited", () => {
  const limited: unknown = JSON.parse(runLine("7", { ...call, existing: { "Service shop": "u" } }));
  assert.deepEqual(limited, {
    id: "7",
    run: { ...call, existing: { "Service shop": "u" }, checkpoint: { version: 3, checkpoint: {} } },
  });
});

test("the other requests are one line each", () => {
  assert.deepEqual(JSON.parse(configureLine('a"b')), { configure: { passphrase: 'a"b' } });
  assert.deepEqual(JSON.parse(cancelLine("7", "graceful")), { id: "7", cancel: "graceful" });
});

test("each answer is recognized by what it carries", () => {
  assert.deepEqual(answerOf('{"ready":{"pulumi":"3.258.0","pid":1}}'), { kind: "ready", pulumi: "3.258.0" });
  assert.deepEqual(answerOf('{"pong":"","runs":3,"active":1,"rss":4096,"goroutines":9,"providers":1}'), {
    kind: "pong",
    pong: { pong: "", runs: 3, active: 1, rss: 4096 },
  });
  assert.deepEqual(answerOf('{"id":"7","event":{"cancelEvent":{}}}'), {
    kind: "event",
    id: "7",
    event: { cancelEvent: {} },
  });
});

test("the state comes back as the JSON text that it is stored as; a preview has none", () => {
  assert.deepEqual(answerOf('{"id":"7","done":{"result":"succeeded","checkpoint":{"version":3},"changes":{}}}'), {
    kind: "done",
    id: "7",
    done: { result: "succeeded", message: "", checkpoint: '{"version":3}' },
  });
  const preview = answerOf('{"id":"7","done":{"result":"failed","message":"why","checkpoint":null}}');
  assert(preview.kind === "done");
  assert.deepEqual(preview.done, { result: "failed", message: "why", checkpoint: undefined });
});

for (const line of ["", "not JSON", "{}", '{"id":"7","done":{"result":"new"}}']) {
  test(`${JSON.stringify(line)} is not an answer`, () => {
    assert.throws(() => answerOf(line));
  });
}
