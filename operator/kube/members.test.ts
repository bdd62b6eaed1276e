import assert from "node:assert/strict";
import test from "node:test";
import { memberOf } from "../../test/fakes/ports";
import { ApiError } from "./client";
import { ClusterMembers } from "./members";

const fresh = { ...memberOf("shop-2"), resourceVersion: "7" };

function membersWith(...answers: readonly (ApiError | undefined)[]): { members: ClusterMembers; asked: unknown[] } {
  const [left, asked]: [(ApiError | undefined)[], unknown[]] = [[...answers], []];
  const create = (path: string, body: unknown): Promise<unknown> => {
    asked.push({ path, body });
    const answer = left.shift();
    return answer === undefined ? Promise.resolve({}) : Promise.reject(answer);
  };
  const nothing = (): Promise<unknown> => Promise.resolve(undefined);
  return { members: new ClusterMembers({ create, find: nothing, get: nothing }), asked };
}

const error = (status: number): ApiError => new ApiError(status, "", "in its words");

test("only the pod that was read is evicted, as it was read", async () => {
  const { members, asked } = membersWith();
  assert.deepEqual(await members.evict(fresh), { kind: "begun" });
  const preconditions = { uid: "uid of shop-2", resourceVersion: "7" };
  assert.deepEqual(asked, [
    {
      path: "/api/v1/namespaces/team/pods/shop-2/eviction",
      body: {
        ...{ apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "shop-2", namespace: "team" } },
        deleteOptions: { preconditions },
      },
    },
  ]);
});

test("a pod that is gone or changed is read again", async () => {
  const { members } = membersWith(error(404), error(409));
  assert.deepEqual(await members.evict(fresh), { kind: "changed" });
  assert.deepEqual(await members.evict(fresh), { kind: "changed" });
});

test("a budget that forbids it is asked again, less and less often, until it allows it", async () => {
  const { members } = membersWith(...Array.from({ length: 8 }, () => error(429)), undefined, error(500));
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    const eviction = await members.evict(fresh);
    assert.ok(eviction.kind === "forbidden" && eviction.message === "in its words");
    pauses.push(eviction.afterMs);
  }
  assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assert.equal((await members.evict(fresh)).kind, "begun");
  assert.deepEqual(await members.evict(fresh), { kind: "forbidden", message: "in its words", afterMs: 500 });
});

test("refusals are forgotten with the Database", async () => {
  const { members } = membersWith(...Array.from({ length: 3 }, () => error(429)));
  await members.evict(fresh);
  await members.evict(fresh);
  members.forget("team/shop");
  assert.deepEqual(await members.evict(fresh), { kind: "forbidden", message: "in its words", afterMs: 500 });
});

test("any other failure is an error", async () => {
  await assert.rejects(membersWith(error(403)).members.evict(fresh), /in its words/);
});
