import assert from "node:assert/strict";
import test from "node:test";
import { backupsIn } from "./catalogue";

// of pgBackRest 2.60, without what is not read
const answer = JSON.stringify([
  {
    backup: [
      {
        archive: { start: "000000010000000000000006", stop: "000000010000000000000006" },
        error: false,
        info: { delta: 27100070, repository: { delta: 3120983, "size-map": 21132 }, size: 27100070 },
        label: "20261125-081848F",
        prior: null,
        reference: null,
        timestamp: { start: 1795594728, stop: 1795594729 },
        type: "full",
      },
      {
        archive: { start: "000000010000000000000007", stop: "000000010000000000000008" },
        error: false,
        info: { delta: 8450, repository: { delta: 369, "size-map": 21132 }, size: 27100070 },
        label: "20261125-081848F_20261125-081857D",
        prior: "20261125-081848F",
        reference: ["20261125-081848F"],
        timestamp: { start: 1795594737, stop: 1795594738 },
        type: "diff",
      },
    ],
    status: { code: 0, message: "ok" },
  },
]);

test("backups are read with what they need, and what they take up", () => {
  const [full, differential] = backupsIn(answer);
  assert.deepEqual(full, {
    ...{ label: "20261125-081848F", isFull: true, needs: [], stoppedAt: 1795594729, size: 27100070 },
    ...{ storedSize: 3120983, isDamaged: false, firstSegment: "000000010000000000000006" },
  });
  assert.deepEqual([differential?.isFull, differential?.needs], [false, ["20261125-081848F"]]);
});

test("a place without backups has none, and what is no answer is not taken for one", () => {
  assert.deepEqual(backupsIn("[]"), []);
  assert.deepEqual(backupsIn(JSON.stringify([{ backup: [], status: { code: 2, message: "no valid backups" } }])), []);
  assert.throws(() => backupsIn('[{"backup":[{"label":7}]}]'));
});
