// What versions of the operator's pods show of how its containers end.
import assert from "node:assert/strict";
import test from "node:test";
import { OperatorContainers } from "./operator-containers";

const ended = (exitCode: number, containerID = "containerd://1", reason = "Error"): unknown => ({
  terminated: { containerID, exitCode, reason },
});

interface Version {
  readonly state?: unknown;
  readonly lastState?: unknown;
  readonly deleted?: true;
}

/** What is said of a pod that was seen in these versions, after some ends of it were announced. */
function endsOf(versions: readonly Version[], announced = 0): readonly string[] {
  const containers = new OperatorContainers({});
  for (let count = 0; count < announced; count++) containers.announce("operator-a");
  for (const { state = {}, lastState = {}, deleted } of versions) {
    const deletionTimestamp = deleted && "2026-11-21T10:00:00Z";
    containers.take({
      metadata: { name: "operator-a", deletionTimestamp },
      status: { containerStatuses: [{ containerID: "", state, lastState }] },
    });
  }
  return containers.ends;
}

const cases: Record<string, readonly [versions: readonly Version[], ends: readonly RegExp[], announced?: number]> = {
  "one that keeps running": [[{ state: { running: {} } }], []],
  "one that is deleted and says 0": [[{ state: ended(0), deleted: true }], []],
  "one that is deleted and does not stop in time": [[{ state: ended(137), deleted: true }], [/ended by SIGKILL/]],
  "one that ran out of memory": [
    [{ state: ended(137, "containerd://1", "OOMKilled") }],
    [/^a container of pod operator-a \(OOMKilled\) was ended by SIGKILL, which was not sent by a test/],
  ],
  "one that ended and was started again before anyone looked": [[{ lastState: ended(1) }], [/ended with 1/]],
  "one that ended with 0, though its pod stays": [[{ lastState: ended(0) }], [/ended with 0/]],
  "one that was seen to end, and then to have ended": [[{ state: ended(1) }, { lastState: ended(1) }], [/with 1/]],
  "one whose pod was deleted after it had crashed": [
    [{ state: ended(1) }, { state: ended(1), deleted: true }],
    [/ended with 1/],
  ],
  "one that a test ended": [[{ lastState: ended(137) }], [], 1],
  "one that a test ended, and that then crashed": [
    [{ lastState: ended(137) }, { lastState: ended(1, "containerd://2") }],
    [/ended with 1/],
    1,
  ],
};

for (const [sentence, [versions, says, announced]] of Object.entries(cases)) {
  test(`a container is judged: ${sentence}`, () => {
    const ends = endsOf(versions, announced);
    assert.equal(ends.length, says.length, ends.join("\n"));
    for (const [index, pattern] of says.entries()) assert.match(ends[index] ?? "", pattern);
  });
}
