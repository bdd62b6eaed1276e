import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { parseRevision } from "../api/revisions/object";
import type { NewRevision } from "../history/ports";
import { ApiError } from "./client";
import { createRevisionWrites, type RevisionClient } from "./revision-writes";

const made: NewRevision = {
  ...{ namespace: "team", name: "shop-uid-1-1", owner: { name: "shop", uid: "uid-1" } },
  spec: {
    ...{ database: "shop", revision: 1, at: "2026-11-27T14:00:00Z", origin: "Spec", summary: "", runSeconds: 1 },
    changes: [],
  },
};

const unused = (): Promise<never> => Promise.reject(new Error("not to be called"));
const clientWith = (some: Partial<RevisionClient>): RevisionClient => ({
  ...{ create: unused, apply: unused, find: unused, delete: unused },
  ...some,
});

const answers: readonly (readonly [what: string, error: ApiError, isMade: boolean | undefined])[] = [
  ["there is one of that name already", new ApiError(409, "AlreadyExists", ""), true],
  ["the cluster does not know the kind", new ApiError(404, "NotFound", ""), false],
  ["the operator's rights are older than the kind", new ApiError(403, "Forbidden", "cannot create"), false],
  ["the namespace ends", new ApiError(403, "Forbidden", "because it is being terminated"), false],
  ["the kind is being removed", new ApiError(405, "MethodNotAllowed", ""), false],
  ["the API server fails", new ApiError(500, "InternalError", ""), undefined],
];
for (const [what, error, isMade] of answers) {
  test(`where ${what} it is ${isMade === undefined ? "an error" : isMade ? "made" : "made later"}`, async () => {
    const writes = createRevisionWrites(clientWith({ create: () => Promise.reject(error) }));
    if (isMade === undefined) await assert.rejects(writes.create(made), error);
    else assert.equal(await writes.create(made), isMade);
  });
}

test("that none may be made is said, and that of a namespace that ends is no news", async () => {
  const said: unknown[] = [];
  const quota = new ApiError(403, "Forbidden", "exceeded quota");
  for (const error of [quota, new ApiError(403, "Forbidden", "because it is being terminated")])
    await createRevisionWrites(clientWith({ create: () => Promise.reject(error) }), (cause) => said.push(cause)).create(
      made,
    );
  assert.deepEqual(said, [quota]);
});

test("the Database owns it, and does not wait for it", async () => {
  const bodies: unknown[] = [];
  const client = clientWith({
    create: (path, body) => {
      bodies.push([path, body]);
      return Promise.resolve({});
    },
  });
  await createRevisionWrites(client).create(made);
  const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Database", name: "shop", uid: "uid-1" }];
  assert.deepEqual(bodies, [
    [
      "/apis/example.com/v1/namespaces/team/databaserevisions",
      {
        ...{ apiVersion: "example.com/v1", kind: "DatabaseRevision", spec: made.spec },
        metadata: { namespace: "team", name: "shop-uid-1-1", ownerReferences },
      },
    ],
  ]);
});

const stored = (version: string, status: object): object => ({
  metadata: { name: "shop-uid-1-1", namespace: "team", uid: "u", resourceVersion: version },
  spec: made.spec,
  status,
});

const Written = z.object({ metadata: z.object({ resourceVersion: z.string() }), status: z.looseObject({}) });

test("a status whose answer was lost is counted on, and not written over", async () => {
  const seen = parseRevision(stored("1", {}));
  assert.ok(seen);
  let version = 2;
  const client = clientWith({
    find: () => Promise.resolve(stored(String(version), { restarted: 1 })),
    apply: (_path, body) => {
      const { metadata, status } = Written.parse(body);
      if (metadata.resourceVersion !== String(version))
        return Promise.reject(new ApiError(409, "Conflict", "outdated"));
      return Promise.resolve(stored(String(++version), status));
    },
  });
  const written = await createRevisionWrites(client).writeStatus(seen, ({ restarted = 0 }) => ({
    restarted: restarted + 1,
  }));
  assert.deepEqual(written, { version: "3", status: { restarted: 2 } });
});

test("nothing is remembered of what was written: revisions go with their Databases, and no one says so", async () => {
  const versions: string[] = [];
  const client = clientWith({
    apply: (_path, body) => {
      versions.push(Written.parse(body).metadata.resourceVersion);
      return Promise.resolve(stored("5", {}));
    },
  });
  const writes = createRevisionWrites(client);
  const seen = parseRevision(stored("1", {}));
  assert.ok(seen);
  for (let write = 0; write < 2; write++) await writes.writeStatus(seen, () => ({}));
  assert.deepEqual(versions, ["1", "1"]);
});
