import assert from "node:assert/strict";
import test from "node:test";
import { Damaged, Misfit, sealerFor } from "./sealing";

const name = "mysql/g/data/orders-20261121T020003Z/00000000";
const text = Buffer.from("rows of a table");

test("what was sealed opens by the same passphrase, also in another program, and shows nothing", () => {
  const sealer = sealerFor("passphrase");
  const sealed = sealer.seal(name, text);
  assert.deepEqual(sealerFor("passphrase").open(name, sealed), text);
  assert.equal(sealed.length, text.length + sealer.overhead);
  assert.equal(sealed.includes("rows"), false);
});

test("nothing is sealed twice in the same way", () => {
  const sealer = sealerFor("passphrase");
  assert.notDeepEqual(sealer.seal(name, text).subarray(-text.length), sealer.seal(name, text).subarray(-text.length));
});

test("another passphrase, none, or one too many does not fit, which is no damage", () => {
  const sealed = sealerFor("passphrase").seal(name, text);
  assert.throws(() => sealerFor("another").open(name, sealed), Misfit);
  assert.throws(() => sealerFor(undefined).open(name, sealed), Misfit);
  const plain = Buffer.alloc(100, "text");
  assert.throws(() => sealerFor("passphrase").open(name, plain), /does not fit spec\.backup\.encryption/);
});

test("what was changed anywhere, cut off, or put under another name does not open", () => {
  const sealer = sealerFor("passphrase");
  const sealed = sealer.seal(name, text);
  // the own salt, the text, the tag
  for (const at of [25, sealed.length - 20, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => sealer.open(name, changed), Damaged, `byte ${at}`);
  }
  assert.throws(() => sealer.open(name, sealed.subarray(0, -1)), Damaged);
  for (const left of [0, 3, 30]) assert.throws(() => sealer.open(name, sealed.subarray(0, left)), Damaged);
  assert.throws(() => sealer.open(`${name}1`, sealed), Damaged);
});

test("without a passphrase an object is its text", () => {
  const sealer = sealerFor(undefined);
  assert.deepEqual(sealer.seal(name, text), text);
  assert.deepEqual(sealer.open(name, text), text);
});
