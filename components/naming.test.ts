import assert from "node:assert/strict";
import test from "node:test";
import * as naming from "./naming";
import { maxNameLength } from "../contract/limits";

const longest = "a".repeat(maxNameLength);
const dnsLabel = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Every name of a kind of object, so that two children of one kind can be compared. */
function namesByKind(name: string): Record<string, readonly string[]> {
  const children = Object.entries(naming.childKinds).map(([kind, { names }]) => [kind, names(name)] as const);
  return { Pod: naming.memberNames(name), ...Object.fromEntries(children) };
}

test("no two children of one kind have the same name", () => {
  for (const [kind, names] of Object.entries(namesByKind("my-postgres"))) {
    assert.equal(new Set(names).size, names.length, kind);
  }
});

test("every child of the longest possible name has a valid name", () => {
  for (const [kind, names] of Object.entries(namesByKind(longest))) {
    for (const name of names) {
      // that of the Jobs has a dot, which no name of a Database has
      assert.match(kind === "ServiceAccount" ? name.replace(".", "-") : name, dnsLabel, kind);
      assert.ok(name.length <= (kind === "CronJob" ? 52 : 63), `${kind} ${name} has ${name.length} characters`);
    }
  }
});

test("a claim is named as the StatefulSet controller names it", () => {
  assert.equal(naming.dataClaimName("my-postgres", 2), "data-my-postgres-2");
});

test("a name that makes an impossible child is refused with the reason", () => {
  for (const name of ["a", "my-postgres", longest]) assert.equal(naming.nameProblem(name), undefined);
  for (const name of ["", "1st", "My", "a_b", "a-", "-a", "a.b"])
    assert.match(naming.nameProblem(name) ?? "", /letter/);
  assert.match(naming.nameProblem(`${longest}a`) ?? "", /at most 45/);
});

test("members carry what selects them, and pods of Jobs do not", () => {
  const matches = (labels: Record<string, string>, selector: Record<string, string>): boolean =>
    Object.entries(selector).every(([key, value]) => labels[key] === value);
  const member = naming.labelsOf("a", "postgresql");
  assert.ok(matches(member, naming.memberSelector("a")));
  assert.ok(!matches(member, naming.memberSelector("b")));
  for (const role of ["initialization", "backup"] as const) {
    const job = naming.labelsOf("a", "postgresql", role);
    assert.ok(!matches(job, naming.memberSelector("a")), role);
    assert.ok(matches(job, naming.childSelector("a")), role);
  }
});

test("a member is behind the read-write Service only while it says that it is the primary", () => {
  const member = naming.labelsOf("a", "postgresql");
  assert.deepEqual({ ...member, role: "primary" }, { ...member, ...naming.roleSelector("a", "primary") });
  assert.notDeepEqual({ ...member, role: "replica" }, { ...member, ...naming.roleSelector("a", "primary") });
});
