// What PostgreSQL's programs and server say of a backup as they end.
import assert from "node:assert/strict";
import test from "node:test";
import { ArrivedLate } from "../restore/hole";
import { NotJudged, NotReached } from "../restore/recovered";
import { comparisonFindingOf, recoveryFindingOf, startFindingOf, storedFindingOf } from "./decide";

for (const [said, finding] of [
  ["PANIC:  could not locate a valid checkpoint record; it ended with 1", "RestoreNotStarted"],
  ["LOG:  startup process (PID 7) was terminated by signal 9: Killed", "Interrupted"],
  ["it ended with SIGKILL; its own words are above", "Interrupted"],
  ["FATAL:  could not map anonymous shared memory: Cannot allocate memory", "Interrupted"],
  ["PANIC:  could not write to file: No space left on device", "NoRoom"],
  ['FATAL:  could not restore file "000000010000000000000005" from archive: command not executable', "Interrupted"],
  [
    "P00  ERROR: [049]: unable to connect to 's3:443'\nFATAL:  could not restore file \"00000002.history\" from archive: command not executable",
    "Interrupted",
  ],
  [
    'P00  ERROR: [026]: error on 000000010000000000000005\nFATAL:  could not restore file "000000010000000000000005" from archive: command not executable',
    "ArchiveDamaged",
  ],
] as const) {
  test(`a server that does not start and says ${JSON.stringify(said)}: ${finding}`, () => {
    assert.equal(startFindingOf(said), finding);
  });
}

for (const [said, finding] of [
  ["ERROR: [026]: error restoring 'base/5/1259': actual checksum does not match expected checksum", "BackupDamaged"],
  ["ERROR: [029]: unable to restore file: [FormatError]", "BackupDamaged"],
  ["ERROR: [055]: unable to open missing file '/x/bundle/1' for read", "BackupDamaged"],
  ["what lies there does not fit spec.backup.encryption: it was written with another passphrase", "BackupDamaged"],
  ["ERROR: [039]: HTTP request failed with 403 (Forbidden)", "Interrupted"],
  ["ERROR: [049]: unable to connect to 's3:443': Connection refused", "Interrupted"],
  [
    "ERROR: [095]: unable to verify certificate presented by 's3:443': [20] unable to get local issuer certificate",
    "Interrupted",
  ],
  ["ERROR: [095]: TLS error [1:167772454] wrong version number", "Interrupted"],
  ["ERROR: [029]: HTTP response version 'HTTP/9' must be HTTP/1.1 or HTTP/1.0", "Interrupted"],
  ["ERROR: [029]: invalid xml in 14 byte(s)", "Interrupted"],
  ["ERROR: [095]: unable to flush: bad decrypt", "BackupDamaged"],
  ["ERROR: [064]: unable to write: [28] No space left on device", "NoRoom"],
  ["the Secret for the credentials of the object storage has no key accessKeyId: add it", "Interrupted"],
] as const) {
  test(`a copy from object storage that ends with "${said}": ${finding}`, () => {
    assert.equal(storedFindingOf(`pgbackrest restore failed: ${said}`), finding);
  });
}

test("what the comparison with the manifest complains of is damage, but for a copy that cannot be read", () => {
  const ended = (message: string, code: number | null = 1): string =>
    comparisonFindingOf({ command: "pg_verifybackup", code, message });
  assert.equal(ended('checksum mismatch for file "base/5/1259"'), "BackupDamaged");
  assert.equal(ended("could not read file: Input/output error"), "Interrupted");
  assert.equal(ended("", null), "Interrupted");
});

const consistent = { said: "LOG:  consistent recovery state reached at 0/2000120", end: undefined };
const ended = { said: "PANIC:  could not locate a valid checkpoint record", end: "it ended with 1" };
for (const [error, server, finding] of [
  [new NotReached("x"), consistent, "ArchiveDamaged"],
  [new NotReached("x"), ended, "BackupDamaged"],
  [new NotJudged("x"), consistent, "Interrupted"],
  [new NotJudged("x"), ended, "Interrupted"],
  [new ArrivedLate("x"), ended, "Interrupted"],
  [new Error("x"), ended, "RestoreNotStarted"],
  [new Error("x"), undefined, "Interrupted"],
] as const) {
  test(`a recovery that ends with ${error.constructor.name}, with a server that said ${server?.said ?? "nothing"}: ${finding}`, () => {
    assert.equal(recoveryFindingOf(error, server), finding);
  });
}
