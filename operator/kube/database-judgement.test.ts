import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "./client";
import { judgeByApi, mergePatchOf } from "./database-judgement";

const place = { namespace: "team", name: "shop" };
const database = { metadata: { name: "shop", namespace: "team", uid: "forged" }, spec: { replicas: 2 } };
const path = "/apis/example.com/v1/namespaces/team/databases";

interface Sent {
  readonly how: string;
  readonly path: string;
  readonly body: unknown;
}

function apiWith(present: unknown, refusal?: Error): { client: Parameters<typeof judgeByApi>[2]; sent: Sent[] } {
  const sent: Sent[] = [];
  const answer =
    (how: string) =>
    (to: string, body: unknown): Promise<unknown> => {
      sent.push({ how, path: to, body });
      return refusal === undefined ? Promise.resolve({ judged: true }) : Promise.reject(refusal);
    };
  const client = {
    find: () => Promise.resolve(present),
    wouldCreate: answer("create"),
    wouldMergePatch: answer("patch"),
  };
  return { client, sent };
}

test("a new Database is judged as one that is created, with nothing in its metadata that only the API server gives", async () => {
  const { client, sent } = apiWith(undefined);
  assert.deepEqual(await judgeByApi(database, place, client), { kind: "object", object: { judged: true } });
  const metadata = { name: "shop", namespace: "team", labels: undefined, annotations: undefined };
  assert.deepEqual(sent, [{ how: "create", path, body: { metadata, spec: { replicas: 2 } } }]);
});

test("a change is judged as a patch after which nothing else of the spec is there", async () => {
  const { client, sent } = apiWith({ spec: { replicas: 3, config: { work_mem: "8MB" } } });
  await judgeByApi(database, place, client);
  assert.deepEqual(sent, [{ how: "patch", path: `${path}/shop`, body: { spec: { replicas: 2, config: null } } }]);
});

test("a refusal is told in the API server's words, and anything else is no judgement", async () => {
  const refused = await judgeByApi(
    database,
    place,
    apiWith({}, new ApiError(422, "Invalid", "must not shrink")).client,
  );
  assert.deepEqual(refused, { kind: "refused", message: "must not shrink" });
  for (const error of [new ApiError(503, "ServiceUnavailable", "later"), new Error("unreachable")])
    await assert.rejects(judgeByApi(database, place, apiWith({}, error).client), error);
});

for (const [what, before, after, patch] of [
  ["a field that changes", { a: 1 }, { a: 2 }, { a: 2 }],
  ["a field that is left out", { a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { b: 1, c: null } }],
  ["a list", { a: [1, 2] }, { a: [2] }, { a: [2] }],
  ["what was none", undefined, { a: 1 }, { a: 1 }],
  ["what is none any more", { a: 1 }, undefined, null],
] as const) {
  test(`a merge patch: ${what}`, () => {
    assert.deepEqual(mergePatchOf(before, after), patch);
  });
}
