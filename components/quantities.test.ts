import assert from "node:assert/strict";
import test from "node:test";
import { cpusOf, mebibytesOf } from "./quantities";

test("memory is read in all of Kubernetes' usual spellings", () => {
  const read = ["1Gi", "512Mi", "1048576Ki", "1073741824", "1G", "1.5Gi", "1e9", "lots"].map(mebibytesOf);
  assert.deepEqual(
    read.map((mebibytes) => mebibytes && Math.floor(mebibytes)),
    [1024, 512, 1024, 1024, 953, 1536, undefined, undefined],
  );
});

test("processors are whole ones, and a part of one counts as one", () => {
  assert.deepEqual(["250m", "1", "1500m", "1.5", "16", "0", "many"].map(cpusOf), [
    1,
    1,
    2,
    2,
    16,
    undefined,
    undefined,
  ]);
});
