import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../kubernetes/client";
import { RecordStore } from "./record-store";

/** A ConfigMap as the API server keeps it: a change with another version than its own is refused. */
class FakeConfigMap {
  version = 1;
  data: Record<string, string> = {};

  get = (): Promise<unknown> => Promise.resolve(this.#object());

  patch = (_path: string, change: unknown): Promise<unknown> => {
    const { metadata, data } = change as {
      metadata: { resourceVersion: string };
      data: Record<string, string | null>;
    };
    if (metadata.resourceVersion !== String(this.version)) return Promise.reject(new ApiError(409, "conflict"));
    for (const [key, value] of Object.entries(data)) {
      if (value === null) Reflect.deleteProperty(this.data, key);
      else this.data[key] = value;
    }
    this.version += 1;
    return Promise.resolve(this.#object());
  };

  #object(): unknown {
    return { metadata: { resourceVersion: String(this.version) }, data: { ...this.data } };
  }
}

test("a record that was never written is empty", async () => {
  const { record, decision } = await new RecordStore(new FakeConfigMap(), "path").read();
  assert.deepEqual([record, decision], [{ members: [] }, undefined]);
});

test("of two members that change the record they read, only the first succeeds", async () => {
  const store = new RecordStore(new FakeConfigMap(), "path");
  const seen = await store.read();
  const first = await store.swap(seen, { members: [], bootstrapping: "db-0" }, false);
  assert.equal(first?.record.bootstrapping, "db-0");
  assert.equal(await store.swap(seen, { members: [], bootstrapping: "db-1" }, false), undefined);
  assert.equal((await store.read()).record.bootstrapping, "db-0");
});

test("a person's decision is seen, and gone once it is carried out", async () => {
  const map = new FakeConfigMap();
  map.data["decision"] = " db-1\n";
  const store = new RecordStore(map, "path");
  const seen = await store.read();
  assert.equal(seen.decision, "db-1");
  const kept = await store.swap(seen, { members: ["db-1"] }, false);
  assert.ok(kept?.decision === "db-1");
  assert.equal((await store.swap(kept, { members: ["db-1"] }, true))?.decision, undefined);
});
