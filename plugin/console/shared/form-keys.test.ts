import assert from "node:assert/strict";
import test from "node:test";
import { SharedFormKeys } from "./form-keys";

let minutes = 0;
const now = (): Date => new Date(minutes * 60_000);
const names = (keys: SharedFormKeys): string[] => keys.current.map((key) => key.toString("hex"));

test("all who have the same private key make the same, and none of it can be read from it", () => {
  const [one, same, other] = ["one", "one", "other"].map((key) => new SharedFormKeys(key, now).current[0]);
  assert.deepEqual(one, same);
  assert.notDeepEqual(one, other);
  assert.equal(one?.length, 32);
});

test("a renewed key is taken at once, makes tokens once all pods have it, and the former one is taken for a day", () => {
  const keys = new SharedFormKeys("one", now);
  const [former] = names(keys);
  const [next] = names(new SharedFormKeys("two", now));
  minutes = 60;
  keys.renew("one");
  assert.deepEqual(names(keys), [former]);
  keys.renew("two");
  assert.deepEqual(names(keys), [former, next]);
  minutes += 5;
  assert.deepEqual(names(keys), [next, former]);
  minutes += 24 * 60;
  assert.deepEqual(names(keys), [next]);
});
