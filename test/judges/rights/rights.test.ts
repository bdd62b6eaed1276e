import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { grantsOf, isClusterScoped, clusterRules } from "../../../infra/permissions";
import { compare, verdictOf } from "./compare";
import { granted, handedOn, rulesOfPreviews } from "./granted";
import { usageAfter, withKnown } from "./known-usage";
import { exceptions, reasons } from "./reasons";
import { rightsIn } from "./right";
import { readUsage, rightsAsked } from "./usage";

const identity = { user: "system:serviceaccount:system:operator", namespace: "system" };

interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly apiGroup?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly code?: number;
  readonly message?: string;
  readonly decision?: string;
  readonly user?: string;
}

/** A line as the API server writes it. */
const line = ({ verb, code = 200, message, decision = "allow", user = identity.user, ...objectRef }: Asked): string =>
  JSON.stringify({
    stage: "ResponseComplete",
    verb,
    user: { username: user },
    objectRef,
    responseStatus: { code, message },
    annotations: { "authorization.k8s.io/decision": decision },
  });

const asked: Record<string, readonly [Asked, used: readonly string[], refused?: readonly string[]]> = {
  "a read of another namespace": [{ verb: "get", resource: "secrets", namespace: "a" }, ["elsewhere secrets get"]],
  "a write to its own namespace": [
    { verb: "update", resource: "secrets", namespace: "system" },
    ["own secrets update"],
  ],
  "a list of all namespaces": [
    { verb: "list", resource: "statefulsets", apiGroup: "apps" },
    ["elsewhere statefulsets.apps list"],
  ],
  "its own namespace itself, which is in none": [
    { verb: "get", resource: "namespaces", namespace: "system" },
    ["elsewhere namespaces get"],
  ],
  "a subresource": [
    { verb: "patch", resource: "databases", apiGroup: "example.com", subresource: "status", namespace: "a" },
    ["elsewhere databases.example.com/status patch"],
  ],
  "an object that was applied and is new: to create it, too": [
    { verb: "patch", resource: "services", namespace: "a", code: 201 },
    ["elsewhere services patch", "elsewhere services create"],
  ],
  "what is not there, which only those who may read learn": [
    { verb: "get", resource: "services", namespace: "a", code: 404 },
    ["elsewhere services get"],
  ],
  "what is forbidden": [
    { verb: "list", resource: "nodes", code: 403, decision: "forbid" },
    [],
    ["elsewhere nodes list"],
  ],
  "a namespace that is being deleted, which refuses every client": [
    { verb: "create", resource: "events", namespace: "a", code: 403, message: "it is being terminated" },
    ["elsewhere events create"],
  ],
  "creating by applying without the right to create": [
    {
      verb: "patch",
      resource: "services",
      namespace: "a",
      code: 403,
      message: 'services "b" is forbidden: User "x" cannot create resource "services" in API group ""',
    },
    ["elsewhere services patch"],
    ["elsewhere services create"],
  ],
  "granting more than it has": [
    {
      verb: "patch",
      resource: "roles",
      apiGroup: "rbac.authorization.k8s.io",
      namespace: "a",
      code: 403,
      message: "user is attempting to grant RBAC permissions not currently held",
    },
    ["elsewhere roles.rbac.authorization.k8s.io patch"],
    ["elsewhere roles.rbac.authorization.k8s.io patch (hands on what it does not have)"],
  ],
  "another user's request": [{ verb: "get", resource: "secrets", user: "system:admin" }, []],
};

for (const [sentence, [request, used, refused = []]] of Object.entries(asked)) {
  test(`the audit log shows ${sentence}`, () => {
    assert.deepEqual(rightsAsked(line(request), identity), { used, refused });
  });
}

test("logs that were put away count too, and what was refused only at first is not a refusal", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "audit-"));
  t.after(() => {
    rmSync(directory, { recursive: true });
  });
  const early = line({ verb: "get", resource: "secrets", namespace: "a", code: 403, decision: "forbid" });
  const never = line({ verb: "get", resource: "nodes", code: 403, decision: "forbid" });
  writeFileSync(join(directory, "audit-2026-11-22.log"), `${early}\n${never}\n`);
  writeFileSync(
    join(directory, "audit.log"),
    `${line({ verb: "get", resource: "secrets", namespace: "a" })}\n{"cut off`,
  );
  assert.deepEqual(await readUsage(join(directory, "audit.log"), identity), {
    used: ["elsewhere secrets get"],
    refused: ["elsewhere nodes get"],
  });
});

const everything = { file: "a.test.ts", used: [...granted], refused: [] };

test("a right that is neither used, nor granted to members, nor explained fails the whole suite, and a part of it says that it cannot judge", () => {
  assert.deepEqual(compare([everything]).unexplained, []);
  const held = new Set([...granted, "elsewhere nodes get"]);
  assert.deepEqual(compare([everything], held).unexplained, ["elsewhere nodes get"]);
  const none = { ...everything, used: [] };
  const { unexplained } = compare([none]);
  assert.ok(unexplained.includes("elsewhere secrets get"));
  for (const right of [...handedOn, ...Object.keys(exceptions)]) assert.ok(!unexplained.includes(right), right);
  assert.ok(verdictOf([none], true).problems.some((problem) => problem.includes("elsewhere secrets get")));
  assert.deepEqual(verdictOf([none], false).problems, []);
  assert.match(verdictOf([none], false).notes.join(), /cannot be judged/);
});

test("a right that was asked for and refused is wrong in any run", () => {
  const refused = { ...everything, refused: ["elsewhere nodes get"] };
  assert.deepEqual(verdictOf([refused], false).problems, [
    "the operator was refused a right that it asked for: elsewhere nodes get (a.test.ts)",
  ]);
});

test("each resource that the operator has a right on has a reason; no reason or exception is left of a right that is gone", () => {
  const held = [...granted, ...rightsIn("elsewhere", rulesOfPreviews)];
  const resources = new Set(held.map((right) => right.split(" ").slice(0, 2).join(" ")));
  assert.deepEqual([...resources].sort(), Object.keys(reasons).sort());
  for (const right of Object.keys(exceptions)) assert.ok(granted.has(right), right);
});

test("what members get, the operator has", () => {
  for (const right of handedOn) assert.ok(granted.has(right), right);
});

test("with watchNamespaces the ClusterRole keeps only what is in no namespace, and nothing is lost", () => {
  const { cluster, namespaced } = grantsOf(["a", "b"]);
  assert.ok(cluster.length > 0 && cluster.every(isClusterScoped));
  assert.ok(namespaced.length > 0 && !namespaced.some(isClusterScoped));
  const ofNamespaces = cluster.filter(({ resources }) => resources.includes("namespaces"));
  assert.deepEqual(
    ofNamespaces.map(({ verbs, resourceNames }) => [verbs, resourceNames]),
    [[["get"], ["a", "b"]]],
  );
  assert.deepEqual(rightsIn("elsewhere", [...cluster, ...namespaced]), rightsIn("elsewhere", clusterRules));
  assert.deepEqual(grantsOf([]), { cluster: clusterRules, namespaced: [] });
});

test("a rule is about what is in a namespace, or about what is in none", () => {
  for (const rule of clusterRules) {
    const kinds = new Set(rule.resources.map((resource) => isClusterScoped({ ...rule, resources: [resource] })));
    assert.equal(kinds.size, 1, JSON.stringify(rule));
  }
});

const [rotates, runs] = ["test/e2e/rotates.test.ts", "test/e2e/runs.test.ts"];
const [seldom, always] = ["elsewhere secrets delete", "elsewhere secrets get"];

test("a right that only tests use which a run left out is known to be used; one that a whole file uses no more is found", () => {
  const recorded = [{ file: runs, used: [always], refused: [] }];
  const known = { [rotates]: [seldom], [runs]: [seldom, always] };
  const held = new Set([seldom, always]);
  const unexplained = (usage: typeof known, leftOut: readonly string[]): readonly string[] =>
    compare(withKnown(recorded, usage, new Set(leftOut)), held).unexplained.filter((right) => !handedOn.has(right));
  assert.deepEqual(unexplained(known, [rotates]), []);
  assert.deepEqual(unexplained(known, []), [seldom]);
  assert.deepEqual(unexplained({ ...known, [rotates]: [] }, [rotates]), [seldom]);
});

test("after a whole run each file is known by what it used now, and with what its left out tests used before", () => {
  const recorded = [runs, rotates].map((file) => ({ file, used: [always], refused: [] }));
  const known = { [rotates]: [seldom], [runs]: [seldom], "gone.test.ts": [seldom] };
  const isThere = (path: string): boolean => path !== "gone.test.ts";
  assert.deepEqual(usageAfter(known, recorded, new Set([rotates, "gone.test.ts"]), isThere), {
    [rotates]: [seldom, always].sort(),
    [runs]: [always],
  });
});
