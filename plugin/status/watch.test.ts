import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { cart, orders } from "../../test/fakes/plugin/shop";
import { runPlugin } from "../../test/fakes/plugin/world";
import { ApiFailure, type Cluster } from "../command/world";

const changed: Stored = { ...orders, status: { ...z.looseObject({}).parse(orders["status"]), readyReplicas: 2 } };

type Turn = readonly [type: string, object: Stored];

/** What is printed while these happen. */
async function watched(line: string, turns: readonly Turn[]): Promise<string> {
  const stopping = new AbortController();
  const objects: Stored[] = [orders, cart];
  const cluster = {
    ...fakeCluster({ objects }),
    // eslint-disable-next-line @typescript-eslint/require-await -- all is there
    async *watch(): AsyncGenerator {
      for (const [type, object] of turns) {
        if (object.metadata.name === orders.metadata.name) objects[0] = object;
        yield { type, object };
      }
      stopping.abort();
    },
  };
  const { code, out, err } = await runPlugin(line, { cluster, stopped: stopping.signal });
  assert.deepEqual([code, err], [0, ""]);
  return out;
}

test("of all, a line is printed for what changes, as wide as above, and none for what does not", async () => {
  const out = await watched("status --watch", [
    ["ADDED", orders],
    ["ADDED", cart],
    ["MODIFIED", changed],
    ["MODIFIED", changed],
    ["BOOKMARK", { ...orders, metadata: { name: "", namespace: "" } }],
  ]);
  const [headings = "", ...lines] = out.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => line.split(/ {3,}/)[0]),
    ["cart", "orders", "orders"],
  );
  const at = headings.indexOf("MEMBERS");
  assert.deepEqual(
    lines.map((line) => line.slice(at, at + 3)),
    ["3/3", "3/3", "2/3"],
  );
});

test("one that was deleted and created again is told again", async () => {
  const out = await watched("status -w -o name", [
    ["DELETED", orders],
    ["ADDED", orders],
  ]);
  assert.equal(out.match(/database\.example\.com\/orders\n/g)?.length, 2);
});

test("one is printed again where it fares otherwise, and it ends with the Database", async () => {
  const out = await watched("status orders -w", [
    ["ADDED", orders],
    ["MODIFIED", changed],
    ["MODIFIED", changed],
    ["DELETED", changed],
    ["MODIFIED", orders],
  ]);
  assert.equal(out.match(/^shop\/orders /gm)?.length, 2);
  assert.match(out, /says\n\nshop\/orders /);
});

/** The cluster with these failures, one after the other, before its watch tells of the change. */
function failing(where: "watch" | "get", failures: readonly ApiFailure[]): [Cluster, AbortSignal] {
  const stopping = new AbortController();
  const objects: Stored[] = [orders, cart];
  const inner = fakeCluster({ objects });
  const left = [...failures];
  const fail = (): void => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
  };
  const cluster: Cluster = {
    ...inner,
    get: async (path, query) => {
      if (objects[0] === changed && where === "get") fail();
      return inner.get(path, query);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- all is there
    async *watch() {
      if (where === "watch") fail();
      objects[0] = changed;
      yield { type: "MODIFIED", object: changed };
      setTimeout(() => {
        stopping.abort();
      }, 1500);
    },
  };
  return [cluster, stopping.signal];
}

const away = new ApiFailure(503, "ServiceUnavailable", "apiserver is shutting down");
const refusals: readonly (readonly [failure: ApiFailure, words: RegExp])[] = [
  [new ApiFailure(403, "Forbidden", 'User "jane@corp" cannot watch'), /you may not watch databases\.example\.com in /],
  [new ApiFailure(401, "Unauthorized", "Unauthorized"), /the API server does not know you: Unauthorized/],
];
for (const [failure, words] of refusals) {
  for (const line of ["status -w", "status orders -w"]) {
    test(`${line} ends where it is refused with ${failure.status}`, { timeout: 20_000 }, async () => {
      const [cluster, stopped] = failing("watch", [failure]);
      const { code, out, err } = await runPlugin(line, { cluster, stopped });
      assert.match(err, words);
      assert.match(out, /orders/);
      assert.equal(code, 2);
    });
  }
}

for (const where of ["watch", "get"] as const) {
  test(`an API server that is away for a ${where} is asked again`, { timeout: 20_000 }, async () => {
    const [cluster, stopped] = failing(where, [away, new ApiFailure(0, "", "ECONNRESET")]);
    const { code, out, err } = await runPlugin("status orders -w", { cluster, stopped });
    assert.deepEqual([code, err], [0, ""]);
    assert.equal(out.match(/^shop\/orders /gm)?.length, 2);
  });
}
