import assert from "node:assert/strict";
import test from "node:test";
import { createAccessReviews } from "./access-reviews";

const jane = { username: "jane", groups: ["dev"], extra: { scopes: ["a"] } };
const shop = { namespace: "team", name: "shop" };

/** What is asked, where this is answered. */
async function asked(verb: string, status: object): Promise<readonly [allowed: boolean, body: unknown]> {
  let sent: unknown;
  const create = (_path: string, body: unknown): Promise<unknown> => {
    sent = body;
    return Promise.resolve({ status });
  };
  return [await createAccessReviews({ create })(jane, { verb, ...shop }), sent];
}

const reviewed = (attributes: object): unknown => ({
  apiVersion: "authorization.k8s.io/v1",
  kind: "SubjectAccessReview",
  spec: {
    ...{ user: "jane", uid: undefined, groups: ["dev"], extra: { scopes: ["a"] } },
    resourceAttributes: { group: "example.com", resource: "databases", namespace: "team", ...attributes },
  },
});

test("a right may be one on the name, but a creation has none when the API server authorizes it", async () => {
  for (const verb of ["update", "patch", "delete"])
    assert.deepEqual(await asked(verb, { allowed: true }), [true, reviewed({ verb, name: "shop" })]);
  assert.deepEqual(await asked("create", { allowed: true }), [true, reviewed({ verb: "create" })]);
});

test("what is denied is not allowed, whatever else is said", async () => {
  assert.equal((await asked("patch", { allowed: false }))[0], false);
  assert.equal((await asked("patch", { allowed: true, denied: true }))[0], false);
});
