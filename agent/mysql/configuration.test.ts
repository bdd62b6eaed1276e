import assert from "node:assert/strict";
import test from "node:test";
import { changesBetween, Configuration, type Parameters } from "./configuration";

const dynamic = (value: string | number): Parameters[string] => ({ value, restart: false });
const fixed = (value: string | number): Parameters[string] => ({ value, restart: true });
const statements = (old: Parameters, wanted: Parameters): string[] =>
  changesBetween(old, wanted).map(({ statement }) => statement);

test("what is equal is left alone", () => {
  assert.deepEqual(statements({ a: dynamic(1), b: fixed("x") }, { a: dynamic(1), b: fixed("x") }), []);
});

test("numbers are set as numbers and texts as texts, whatever is in them", () => {
  assert.deepEqual(statements({}, { a: dynamic(1.5), b: dynamic("1"), c: dynamic("it's; \\ \n") }), [
    "SET GLOBAL a = 1.5",
    "SET GLOBAL b = '1'",
    String.raw`SET GLOBAL c = 'it\'s; \\ \n'`,
  ]);
});

test("what is removed gets the server's default back", () => {
  assert.deepEqual(statements({ a: dynamic(1) }, {}), ["SET GLOBAL a = DEFAULT"]);
});

test("what needs a restart is not set", () => {
  assert.deepEqual(statements({ a: fixed(1), b: fixed(1) }, { a: fixed(2) }), []);
});

test("a configuration without a number of members is none", () => {
  assert.equal(Configuration.safeParse({ parameters: {} }).success, false);
});
