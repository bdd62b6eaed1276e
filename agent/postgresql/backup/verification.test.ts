import assert from "node:assert/strict";
import test from "node:test";
import { complaintIn } from "./complaint";
import { damageIn } from "./verification";

const whole = `stanza: 7712020544770765018
status: ok
  archiveId: 17-1, total WAL checked: 1, total valid WAL: 1
    missing: 0, checksum invalid: 0, size invalid: 0, other: 0
  backup: 20261125-081832F, status: valid, total files checked: 966, total valid files: 966
    missing: 0, checksum invalid: 0, size invalid: 0, other: 0
`;

/** The same backup is called invalid, with these counts. */
const failed = (counts: string): ReturnType<typeof damageIn> => {
  const [archive = "", backup = ""] = whole.split("  backup: ");
  const [first = ""] = backup.split("\n");
  const told = `${archive}  backup: ${first}\n    ${counts}\n`;
  return damageIn(told.replace("status: ok", "status: error").replace("status: valid", "status: invalid"));
};

test("a backup is whole where pgBackRest says so, and only then", () => {
  assert.equal(damageIn(whole), undefined);
  const damaged = failed("missing: 0, checksum invalid: 1, size invalid: 0, other: 0");
  assert.match(
    damaged?.why ?? "",
    /^status: error; .*backup: 20261125-081832F, status: invalid, .*checksum invalid: 1/,
  );
  assert.deepEqual([...(damaged?.labels ?? [])], ["20261125-081832F"]);
  // WAL is
  const wal = damageIn(whole.replace("status: ok", "status: error").replace("missing: 0", "missing: 2"));
  assert.deepEqual([wal?.labels.size, wal?.unread.size, wal?.isWalDamaged], [0, 0, true]);
  assert.throws(() => damageIn(""), /does not say/);
});

test("what could not be read is not called damaged", () => {
  for (const counts of ["missing: 0, checksum invalid: 0, size invalid: 0, other: 3", ""]) {
    const unread = failed(counts);
    assert.deepEqual([[...(unread?.labels ?? [])], [...(unread?.unread ?? [])]], [[], ["20261125-081832F"]]);
  }
  const both = failed("missing: 1, checksum invalid: 0, size invalid: 0, other: 3");
  assert.deepEqual([...(both?.labels ?? [])], ["20261125-081832F"]);
  const wal = damageIn(whole.replace("status: ok", "status: error").replace("other: 0", "other: 1"));
  assert.equal(wal?.isWalDamaged, false);
});

test("of what pgBackRest says, its error is told", () => {
  const said = `2026-11-25 08:18:32.950 P00   INFO: stanza-create command begin
2026-11-25 08:18:33.950 P00  ERROR: [049]: unable to connect to 's3:443': Connection refused
           [HostConnectError] on 12 retries
2026-11-25 08:18:33.951 P00   INFO: stanza-create command end: aborted with exception [049]
`;
  assert.equal(
    complaintIn(said),
    "ERROR: [049]: unable to connect to 's3:443': Connection refused [HostConnectError] on 12 retries",
  );
  assert.equal(complaintIn("killed\n"), "killed");
});

test("a passphrase that does not fit is named, whatever the files decrypt to, and nothing of them is told", () => {
  const hints = "HINT: archive.info cannot be opened but is required to push/get WAL segments.";
  for (const said of [
    `ERROR: [095]: unable to load info file '/x/archive.info'\n CryptoError: unable to flush\n ${hints}\n`,
    `ERROR: [095]: unable to load info file '/x/archive.info'\n CryptoError: cipher header invalid\n HINT: is or was the repo encrypted?\n`,
    `ERROR: [029]: unable to load info file '/x/archive.info'\n FormatError: key/value found outside of section at line 1: Salted__\u{fffd};T\n${hints}\n`,
    `ERROR: [103]: unable to find a valid repository:\n repo1: [FormatError] unable to load info file '/x/archive.info'\n FormatError: ini section should end with ] at line 1: [\u{fffd}\n${hints}\n`,
    `WARN: repo1: [CryptoError] unable to load info file '/x/backup.info'\n CryptoError: unable to flush\nERROR: [075]: no backup set found to restore\n`,
  ]) {
    assert.match(complaintIn(said), /^what lies there does not fit spec\.backup\.encryption: .*former Secret back/);
    assert.doesNotMatch(complaintIn(said), /Salted/);
  }
});
