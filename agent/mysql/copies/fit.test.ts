import assert from "node:assert/strict";
import test from "node:test";
import { problemOf } from "../../restore/decide";
import { restoreMargin, takeOverOptions, unfitFor } from "./fit";

const label = "orders-20261121T020003Z";
const of = (server: string, image: string): string =>
  unfitFor(label, { manifest: { server }, isDump: false }, image) ?? "fit";

test("a server has the files of its own version, and of earlier ones of the same series", () => {
  for (const [server, image] of [
    ["9.7.4-2", "9.7.4"],
    ["9.7.3", "9.7.4"],
    ["9.6.10", "9.7.4"],
    ["9.7", "9.7.4"],
  ] as const)
    assert.equal(of(server, image), "fit", `${server} for ${image}`);
});

test("a newer server's files are refused, and those of another series", () => {
  assert.match(
    of("9.7.5-1", "9.7.4"),
    /is of MySQL 9\.7\.5, and the image of MySQL 9\.7\.4: write that version, or a later/,
  );
  assert.match(of("9.10.0", "9.7.4"), /write that version/);
  assert.match(of("8.4.7", "9.7.4"), /a later one of 8/);
});

test("a dump is told from a backup that is damaged", () => {
  assert.match(
    unfitFor(label, { manifest: undefined, isDump: true }, "9.7.4") ?? "",
    /is a dump.*read it into a Database/,
  );
  assert.match(unfitFor(label, { manifest: undefined, isDump: false }, "9.7.4") ?? "", /damaged/);
});

test("beside a backup there must be room for the redo logs of the servers that begin with it", () => {
  const mebibyte = 1024 ** 2;
  const redo = 100 + Number.parseInt(takeOverOptions.innodb_redo_log_capacity);
  const found = { label, labels: [label], unfit: undefined, bytes: 1024 * mebibyte, margin: restoreMargin() };
  assert.match(problemOf({ ...found, free: (1024 + redo) * mebibyte }) ?? "", /write a larger storage/);
  assert.equal(problemOf({ ...found, free: 1024 * mebibyte + restoreMargin() }), undefined);
  const replaying = restoreMargin(0, { copies: 50 * mebibyte });
  assert.equal(replaying - restoreMargin(), (50 + 128 - 100) * mebibyte);
  const large = { ...found, margin: restoreMargin(1024 * mebibyte) };
  assert.match(problemOf({ ...large, free: 2048 * mebibyte }) ?? "", /write a larger storage/);
});
