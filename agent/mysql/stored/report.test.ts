import assert from "node:assert/strict";
import test from "node:test";
import { maxNameLength } from "../../../contract/limits";
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
  assert.deepEqual(report.damaged, [at(11)]);
});

test("it has room in what a pod may say, whatever there is", () => {
  const label = (index: number): string => `${"n".repeat(maxNameLength)}-2026112${index % 10}T020003Z`;
  const whole = { ...entry, bytes: 1e14, copiedAt: "2026-11-20T02:00:09.100Z" };
  const backups = Array.from({ length: 300 }, (_, index) => ({
    label: label(index),
    entry: index % 2 === 0 ? undefined : whole,
  }));
  const far = `s3://${"b".repeat(63)}/${"p".repeat(200)}/${"s".repeat(63)}/${"n".repeat(maxNameLength)}`;
  const { report, present } = withPresent(factsOf(taken, far), backups, taken.wanted);
  assert.equal(report.damaged?.length, 10);
  const text = reportText(report, present);
  assert.ok(text.length < 4096, `${text.length}`);
});
