import assert from "node:assert/strict";
import test from "node:test";
import { choiceAmong, newestAmong, roomProblem } from "./choice";

const at = (day: number): string => `orders-202611${day}T020003Z`;
const location = "s3://backups/prod/shop/orders";
const wish = { location, cluster: undefined, label: undefined };
const former = { group: "f", labels: [at(18), at(19)] };
const own = { group: "o", labels: [at(20), at(21)] };

test("the newest of the only group is taken, or the one that is named", () => {
  assert.deepEqual(choiceAmong([own], wish), { group: "o", label: at(21), others: [at(20)] });
  assert.deepEqual(choiceAmong([own], { ...wish, label: at(20) }), { group: "o", label: at(20), others: [at(21)] });
  assert.deepEqual(choiceAmong([former, own], { ...wish, cluster: "f" }), {
    group: "f",
    label: at(19),
    others: [at(18)],
  });
});

test("a group without a complete backup does not count", () => {
  assert.deepEqual(choiceAmong([{ group: "e", labels: [] }, own], wish), {
    ...{ group: "o", label: at(21), others: [at(20)] },
  });
});

test("of several groups none is taken, and all are named", () => {
  assert.throws(
    () => choiceAmong([former, own], wish),
    /several clusters in s3:\S+ write which one as restore\.s3\.cluster: f \(the newest is \S+19T020003Z\), o \(/,
  );
});

test("what is not there is said to be so", () => {
  assert.throws(() => choiceAmong([], wish), /there is no backup in s3:\S+: correct the place/);
  assert.throws(() => choiceAmong([own], { ...wish, cluster: "x" }), /no backup of cluster x in/);
  assert.throws(() => choiceAmong([own], { ...wish, label: at(12) }), /any more: retention may have removed it/);
});

test("a drill takes the newest of all groups", () => {
  assert.deepEqual(newestAmong([own, former]), { group: "o", label: at(21) });
  assert.equal(newestAmong([{ group: "e", labels: [] }]), undefined);
});

test("there must be room for the files and for what the server writes beside them", () => {
  const mebibyte = 1024 ** 2;
  assert.equal(roomProblem("a", { bytes: mebibyte, margin: mebibyte, free: 2 * mebibyte }), undefined);
  assert.match(
    roomProblem("a", { bytes: mebibyte, margin: mebibyte, free: mebibyte }) ?? "",
    /^a takes up 1 MiB, the server 1 MiB beside it, and the data volume has 1 MiB free: write a larger storage$/,
  );
});
