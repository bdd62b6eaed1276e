import assert from "node:assert/strict";
import test from "node:test";
import { reportText } from "../../backups";
import { factsOf, withPresent } from "./report";

const at = (day: number): string => `orders-202611${day}T020003Z`;
const contents = { bytes: 1, sha256: "" };
const entry = { group: "g", server: "9.7.4", transactions: "", bytes: 100, storedBytes: 40, contents };
const location = "s3://backups/prod/shop/orders";
const taken = {
  began: new Date("2026-11-21T02:00:03.500Z"),
  source: { group: "g", host: "orders-1.orders-headless.shop.svc", server: "9.7.4-2" },
  wanted: { newest: at(21), retention: 2, kept: new Set([at(11)]) },
  entry,
};

test("a report says where it lies, what it takes up there, and of which group", () => {
  assert.deepEqual(factsOf(taken, location), {
    ...{ backup: at(21), startedAt: "2026-11-21T02:00:03Z", bytes: 100, storedBytes: 40, location },
    ...{ member: "orders-1", cluster: "g", version: "9.7.4" },
  });
});

test("it names what else is there, one that does not say what it is too, and the oldest that is not kept", () => {
  const backups = [
    { label: at(11), entry: undefined },
    { label: at(20), entry: { ...entry, copiedAt: "2026-11-20T02:00:09.100Z" } },
    { label: at(21), entry: { ...entry, copiedAt: "2026-11-21T02:00:09.000Z" } },
  ];
  const { report, present } = withPresent(factsOf(taken, location), backups, taken.wanted);
  assert.equal(report.oldest, at(20));
  assert.deepEqual(present, [
    { label: at(11) },
    { label: at(20), bytes: 100, completedAt: "2026-11-20T02:00:10Z" },
    { label: at(21), bytes: 100, completedAt: "2026-11-21T02:00:09Z" },
  ]);
  const many = Array.from({ length: 300 }, (_, index) => ({ label: `${at(20)}${index}`, bytes: 1e12 }));
  assert.ok(reportText(report, many).length < 4096);
});
