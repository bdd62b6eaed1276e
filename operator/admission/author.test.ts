import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { answerAuthor } from "./author";

const key = (name: string): string => `database.example.com/${name}`;

interface Written {
  readonly spec?: unknown;
  readonly annotations?: Readonly<Record<string, string>>;
}

const objectOf = ({ spec = { replicas: 1 }, annotations }: Written): unknown => ({
  metadata: { name: "shop", namespace: "team", uid: "a", generation: 6, ...(annotations && { annotations }) },
  spec,
});

const Answered = z.object({
  response: z.object({
    uid: z.literal("a-uid"),
    allowed: z.literal(true),
    patchType: z.literal("JSONPatch").optional(),
    patch: z.string().optional(),
  }),
});

/** What is added, by its path. */
function patchOf(before: Written, after: Written, some: object = {}): Record<string, unknown> {
  const request = {
    ...{ uid: "a-uid", operation: "UPDATE", namespace: "team", name: "shop" },
    kind: { group: "example.com", version: "v1", kind: "Database" },
    ...{ object: objectOf(after), oldObject: objectOf(before), userInfo: { username: "maria", groups: ["dba"] } },
    ...some,
  };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const answer = answerAuthor(JSON.stringify(review));
  assert.ok(answer.kind === "review");
  const { patch = "" } = Answered.parse(answer.review).response;
  const steps = z
    .array(z.object({ op: z.literal("add"), path: z.string(), value: z.unknown() }))
    .parse(patch === "" ? [] : JSON.parse(Buffer.from(patch, "base64").toString()));
  return Object.fromEntries(steps.map(({ path, value }) => [path, value]));
}

const at = (name: string): string => `/metadata/annotations/database.example.com~1${name}`;

test("who changes the spec is written beside it, with the generation that comes of it", () => {
  assert.deepEqual(patchOf({}, { spec: { replicas: 2 } }), {
    "/metadata/annotations": {},
    [at("changed-by")]: "a 7 maria",
  });
  const annotations = { [key("changed-by")]: "a 6 john", other: "text" };
  assert.deepEqual(patchOf({ annotations }, { spec: { replicas: 2 }, annotations }), {
    [at("changed-by")]: "a 7 maria",
  });
});

test("who approves is written beside it, unless they say so themselves", () => {
  for (const name of ["approve", "approve-now"])
    assert.deepEqual(patchOf({ annotations: {} }, { annotations: { [key(name)]: "plan" } }), {
      [at("approved-by")]: "maria",
    });
  const said = { [key("approve")]: "plan", [key("approved-by")]: "maria" };
  assert.deepEqual(patchOf({ annotations: {} }, { annotations: said }), {});
  const former = { [key("approve")]: "former", [key("approved-by")]: "john" };
  const after = { ...former, [key("approve")]: "plan" };
  assert.deepEqual(patchOf({ annotations: former }, { annotations: after }), { [at("approved-by")]: "maria" });
});

test("a name that another person wrote is left as it is: the API server refuses it", () => {
  const said = { [key("approve")]: "plan", [key("approved-by")]: "john" };
  assert.deepEqual(patchOf({ annotations: {} }, { annotations: said }), {});
});

test("what changes neither spec nor approval says nothing of its author", () => {
  const annotations = { [key("approve")]: "plan", [key("approved-by")]: "john", [key("changed-by")]: "a 6 john" };
  assert.deepEqual(patchOf({ annotations }, { annotations: { ...annotations, other: "text" } }), {});
  assert.deepEqual(patchOf({ annotations }, { annotations: { [key("changed-by")]: "a 6 john" } }), {});
});

test("a replacement that leaves it out does not make the author unknown", () => {
  assert.deepEqual(patchOf({ annotations: { [key("changed-by")]: "a 6 john" } }, {}), {
    ...{ "/metadata/annotations": {} },
    [at("changed-by")]: "a 6 john",
  });
});

for (const [what, some] of [
  ["a creation", { operation: "CREATE", oldObject: null }],
  ["another kind", { kind: { group: "example.com", version: "v1", kind: "DatabaseBackup" } }],
  ["a review without a user", { userInfo: undefined }],
  ["no object", { object: null }],
] as const)
  test(`${what} is let through as it is`, () => {
    assert.deepEqual(patchOf({}, { spec: { replicas: 2 } }, some), {});
  });

test("what is no review is said to be none", () => {
  assert.equal(answerAuthor("{}").kind, "malformed");
});
