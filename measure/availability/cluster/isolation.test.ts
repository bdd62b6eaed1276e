import assert from "node:assert/strict";
import test from "node:test";
import { rulesOf } from "./isolation";

const network = { podCidr: "10.244.7.0/24", serviceCidr: "10.96.7.0/24" };

test("a pod that is cut off exchanges nothing with other pods, in either direction; its gateway stays", () => {
  const rules = rulesOf(network, "members");
  assert.match(rules, /hook input .*\n *ip saddr 10\.244\.7\.1 accept\n *ip saddr 10\.244\.7\.0\/24 drop/);
  assert.match(rules, /hook output .*\n *ip daddr 10\.244\.7\.1 accept\n *ip daddr 10\.244\.7\.0\/24 drop/);
  assert.doesNotMatch(rules, /10\.96/);
});

test("one that is cut off from Services alone reaches none of them, and all other pods", () => {
  const rules = rulesOf(network, "services");
  assert.match(rules, /ip daddr 10\.96\.7\.0\/24 drop/);
  assert.doesNotMatch(rules, /10\.244\.7\.0/);
});

test("one that is cut off from Services, too, reaches none of them", () => {
  assert.match(rulesOf(network, "members and services"), /ip daddr 10\.96\.7\.0\/24 drop/);
});
