import assert from "node:assert/strict";
import test from "node:test";
import { networkOf, overlaps } from "./network";

test("two networks overlap when one holds an address of the other", () => {
  assert.ok(overlaps("10.96.0.0/16", "10.96.3.0/24"));
  assert.ok(overlaps("10.96.3.0/24", "10.96.0.0/16"));
  assert.ok(overlaps("10.244.0.7", "10.244.0.0/24"));
  assert.ok(overlaps("0.0.0.0/0", "10.244.0.0/24"));
  assert.ok(!overlaps("10.244.0.0/24", "10.244.1.0/24"));
  assert.ok(!overlaps("192.168.0.1", "192.168.0.2"));
});

test("the networks of two clusters on one machine have nothing in common, and device names fit", () => {
  const [one, two] = [networkOf(0), networkOf(249)];
  for (const key of ["linkCidr", "podCidr", "serviceCidr"] as const) assert.ok(!overlaps(one[key], two[key]), key);
  // the kernel's limit
  assert.ok(two.peer.length <= 15);
  assert.notEqual(one.link, two.link);
});
