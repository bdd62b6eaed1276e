import assert from "node:assert/strict";
import test from "node:test";
import { asked } from "../../test/fakes/asked-change";
import { readsOf } from "../../test/fakes/previewing";
import type { Cluster } from "./cluster";
import { prepareApply } from "./prepare";

/** Makes reads that answer only once both were asked for. */
function meeting(): <T>(read: () => Promise<T>) => Promise<T> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let asked = 0;
  return async (read) => {
    asked += 1;
    if (asked === 2) resolve(undefined);
    await promise;
    return read();
  };
}

test("reads that do not need each other are asked for at the same time", { timeout: 10_000 }, async () => {
  const cluster = await asked({}, {});
  // a preview remembers no children: it asks about each
  cluster.observed = new Map();
  const reads = readsOf(cluster);
  const [first, second, third] = [meeting(), meeting(), meeting()];
  const together: Cluster = {
    ...reads,
    database: (key) => first(() => reads.database(key)),
    records: { ...reads.records, load: (key) => first(() => reads.records.load(key)) },
    primary: (key) => second(() => reads.primary(key)),
    children: { ...reads.children, inspect: (...given) => second(() => reads.children.inspect(...given)) },
    made: (key) => third(() => reads.made(key)),
    credentials: { ...reads.credentials, ensure: (...given) => third(() => reads.credentials.ensure(...given)) },
  };
  const prepared = await prepareApply(cluster.object, together, { refresh: false });
  assert.equal(prepared.kind, "change");
});
