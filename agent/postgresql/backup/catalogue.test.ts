import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { backupsIn, clustersIn } from "./catalogue";

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

test("of several clusters each has its own backups and their versions, and one without any is left out", () => {
  const backupOf = (label: string, id: number): unknown => ({
    ...{ label, database: { id, "repo-key": 1 }, error: false, prior: null, reference: null, type: "full" },
    ...{ timestamp: { start: 1, stop: 2 }, info: { size: 3 } },
  });
  const status = { code: 0, message: "ok" };
  const clusters = clustersIn(
    JSON.stringify([
      {
        name: "77",
        db: [
          { id: 1, version: "15" },
          { id: 2, version: "17" },
        ],
        backup: [backupOf("F2", 2), backupOf("F1", 1)],
        status,
      },
      { name: "78", db: [{ id: 1, version: "17" }], backup: [], status },
    ]),
  );
  assert.deepEqual(
    clusters.map(({ cluster, backups, majors }) => [cluster, backups.map(({ label }) => [label, majors.get(label)])]),
    [
      [
        "77",
        [
          ["F1", "15"],
          ["F2", "17"],
        ],
      ],
    ],
  );
  assert.deepEqual(clustersIn("[]"), []);
});

test("a storage that does not answer is not taken for an empty one: the command ends well all the same", () => {
  const message = "[HostConnectError] unable to connect to 's3:443':\n    [111] Connection refused";
  const status = { code: 99, message: "other" };
  const answered = [{ name: "[invalid]", db: [], backup: [], repo: [{ status: { code: 99, message } }], status }];
  assert.throws(
    () => clustersIn(JSON.stringify(answered)),
    /does not show its backups: \[HostConnectError\] unable to connect to 's3:443': \[111\] Connection refused/,
  );
});

test("of several clusters those that the passphrase fits are listed, and the others named", () => {
  const misfit = "[CryptoError] unable to load info file '/x/backup.info':\nCryptoError: unable to flush";
  const readable = { ...z.array(z.looseObject({})).parse(JSON.parse(answer))[0], name: "77" };
  const status = { code: 99, message: "other" };
  const unreadable = { name: "78", db: [], backup: [], repo: [{ status: { code: 99, message: misfit } }], status };
  assert.deepEqual(
    clustersIn(JSON.stringify([readable, unreadable])).map(({ cluster, backups, isUnreadable }) => [
      ...[cluster, backups.length, isUnreadable],
    ]),
    [
      ["77", 2, false],
      ["78", 0, true],
    ],
  );
});
