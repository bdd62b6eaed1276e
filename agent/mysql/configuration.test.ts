import assert from "node:assert/strict";
import test from "node:test";
import { changesBetween, Configuration, roomProblem, withinRoom, type Parameters } from "./configuration";

const dynamic = (value: string | number): Parameters[string] => ({ value, restart: false });
const fixed = (value: string | number): Parameters[string] => ({ value, restart: true });
const statements = (old: Parameters, wanted: Parameters): string[] =>
  changesBetween(old, wanted).map(({ statement }) => statement);

test("equal values are left alone", () => {
  assert.deepEqual(statements({ a: dynamic(1), b: fixed("x") }, { a: dynamic(1), b: fixed("x") }), []);
});

test("numbers are set as numbers and texts as texts, whatever is in them", () => {
  assert.deepEqual(statements({}, { a: dynamic(1.5), b: dynamic("1"), c: dynamic("it's; \\ \n") }), [
    "SET GLOBAL a = 1.5",
    "SET GLOBAL b = '1'",
    String.raw`SET GLOBAL c = 'it\'s; \\ \n'`,
  ]);
});

test("a removed parameter gets the server's default back", () => {
  assert.deepEqual(statements({ a: dynamic(1) }, {}), ["SET GLOBAL a = DEFAULT"]);
});

test("a parameter that needs a restart is not set", () => {
  assert.deepEqual(statements({ a: fixed(1), b: fixed(1) }, { a: fixed(2) }), []);
});

test("a configuration without a number of members is invalid", () => {
  assert.equal(Configuration.safeParse({ parameters: {} }).success, false);
});

test("a buffer pool too large for the pod waits for the next pod, and the running one stays as it is", () => {
  const gibibyte = 1024 ** 3;
  const running = { innodb_buffer_pool_size: dynamic(gibibyte / 4), long_query_time: dynamic(10) };
  const wanted = { innodb_buffer_pool_size: dynamic(48 * gibibyte), long_query_time: dynamic(3) };
  assert.match(roomProblem(wanted, gibibyte) ?? "", /innodb_buffer_pool_size waits for a pod with more memory/);
  assert.deepEqual(statements(running, withinRoom(wanted, running, gibibyte)), ["SET GLOBAL long_query_time = 3"]);
  assert.equal(roomProblem(wanted, 64 * gibibyte), undefined);
  assert.equal(withinRoom(wanted, running, 64 * gibibyte), wanted);
});
