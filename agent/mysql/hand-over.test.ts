import assert from "node:assert/strict";
import test from "node:test";
import { successorIn } from "./hand-over";
import type { MemberReport, Membership } from "./observation";

const group = (...states: string[]): Membership => ({
  state: "ONLINE",
  role: "PRIMARY",
  quorum: true,
  members: states.map((state, ordinal) => ({ name: `db-${ordinal}`, id: `id-${ordinal}`, state, role: "SECONDARY" })),
});
const stopping = (name: string): MemberReport => ({ name, server: { kind: "down" }, stopping: true });

const chosen = (
  membership: Membership,
  self: string,
  peers: readonly MemberReport[],
  wanted: number,
): string | undefined => successorIn(membership, self, peers, wanted)?.id;

test("the lowest-numbered other member that can take over does", () => {
  assert.equal(chosen(group("ONLINE", "ONLINE", "ONLINE"), "db-0", [], 3), "id-1");
  assert.equal(chosen(group("ONLINE", "RECOVERING", "ONLINE"), "db-0", [], 3), "id-2");
  assert.equal(chosen(group("ONLINE", "UNREACHABLE"), "db-0", [], 2), undefined);
  assert.equal(chosen(group("ONLINE"), "db-0", [], 1), undefined);
});

test("a member that is to be removed takes over only where no other is left, and one that stops never does", () => {
  const three = group("ONLINE", "ONLINE", "ONLINE");
  assert.equal(chosen(three, "db-0", [stopping("db-1")], 3), "id-2");
  assert.equal(chosen(three, "db-2", [], 1), "id-0");
  assert.equal(chosen(three, "db-0", [], 1), "id-1");
  assert.equal(chosen(three, "db-0", [stopping("db-1"), stopping("db-2")], 3), undefined);
});
