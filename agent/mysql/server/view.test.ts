import assert from "node:assert/strict";
import test from "node:test";
import { membershipOf } from "./view";

const row = (ordinal: number, state: string, role = "SECONDARY"): Parameters<typeof membershipOf>[2][number] => ({
  id: `id-${ordinal}`,
  host: `db-${ordinal}.db-headless.shop.svc`,
  state,
  role,
});

test("a server that has not started its group is outside of it", () => {
  assert.equal(membershipOf("id-0", undefined, []).state, "OFFLINE");
  assert.equal(membershipOf("id-0", "", [{ id: "", host: "", state: "OFFLINE", role: "" }]).state, "OFFLINE");
});

test("members are identified by their pods, and a view by the constant part of its identifier", () => {
  const found = membershipOf("id-0", "1795346:12", [row(0, "ONLINE", "PRIMARY"), row(1, "RECOVERING")]);
  assert.equal(found.viewNumber, 12);
  assert.deepEqual([found.state, found.role, found.view], ["ONLINE", "PRIMARY", "1795346"]);
  assert.deepEqual(
    found.members.map(({ name }) => name),
    ["db-0", "db-1"],
  );
});

test("there is a majority only while more than half are within reach", () => {
  const quorumOf = (...states: string[]): boolean =>
    membershipOf(
      "id-0",
      "1:1",
      states.map((state, ordinal) => row(ordinal, state)),
    ).quorum;
  assert.equal(quorumOf("ONLINE"), true);
  assert.equal(quorumOf("ONLINE", "UNREACHABLE"), false);
  assert.equal(quorumOf("ONLINE", "RECOVERING", "UNREACHABLE"), true);
  assert.equal(quorumOf("ONLINE", "UNREACHABLE", "UNREACHABLE"), false);
});
