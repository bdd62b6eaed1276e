import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { cart, orders } from "../../test/fakes/plugin/shop";
import { runPlugin } from "../../test/fakes/plugin/world";

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
