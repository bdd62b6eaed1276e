// pg_control as three versions write it: the number of bytes before its checksum differs.
import assert from "node:assert/strict";
import test from "node:test";
import { crc32c, withIdentifier } from "./system-identifier";

test("the checksum is PostgreSQL's", () => {
  assert.equal(crc32c(Buffer.from("123456789")), 0xe3069283);
});

/** A file of zeros and of numbers, with its checksum at `place`. */
function controlWith(identifier: bigint, place: number): Buffer {
  const control = Buffer.alloc(8192);
  control.writeBigUInt64LE(identifier);
  for (let at = 8; at < place; at += 4) control.writeUInt32LE(at * 7, at);
  control.writeUInt32LE(crc32c(control.subarray(0, place)), place);
  return control;
}

for (const place of [288, 292, 300])
  test(`another identifier, and a checksum that fits it, ${place} bytes into the file`, () => {
    const { control, former } = withIdentifier(controlWith(7n, place), 2n ** 62n + 5n);
    assert.equal(former, 7n);
    assert.deepEqual(control, controlWith(2n ** 62n + 5n, place));
  });

test("a file whose checksum does not fit is left as it is, and named", () => {
  const control = controlWith(7n, 288);
  control.writeUInt8(1, 100);
  assert.throws(() => withIdentifier(control, 8n), /pg_control is damaged/);
});
