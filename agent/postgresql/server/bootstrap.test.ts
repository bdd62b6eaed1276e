import assert from "node:assert/strict";
import test from "node:test";
import { sessionArgsOf } from "./bootstrap";

const passwords = [
  "db.example:5432:*:postgres:of another server",
  String.raw`/run/postgresql:5432:*:postgres:a\:b\\c`,
  "localhost:5432:*:postgres:local",
].join("\n");

test("Patroni says where the server is by a connection string, and the password by a file", () => {
  const { host, port, user, password } = sessionArgsOf(
    "dbname=postgres user=postgres host=/run/postgresql port=5432",
    passwords,
  );
  assert.deepEqual({ host, port, user }, { host: "/run/postgresql", port: 5432, user: "postgres" });
  assert.equal(password, String.raw`a:b\c`);
});

test("the usual socket counts as this machine", () => {
  const args = sessionArgsOf("dbname=postgres user=postgres port=5432", "localhost:*:*:postgres:local\n");
  assert.deepEqual([args.host, args.password], ["/run/postgresql", "local"]);
});

test("a value with a space, a quote or a backslash is read whole", () => {
  assert.equal(sessionArgsOf(String.raw`user=a\ \'b\\ port=1`, "").user, String.raw`a 'b` + "\\");
  assert.equal(sessionArgsOf(String.raw`user='it\'s me' port=1`, "").user, "it's me");
});

test("without a line for it there is no password, and without a user no connection", () => {
  assert.equal(sessionArgsOf("user=postgres port=5433 host=/run/postgresql", passwords).password, undefined);
  assert.equal(sessionArgsOf("user=postgres", "localhost:5432:*:postgres").password, undefined);
  assert.throws(() => sessionArgsOf("", passwords), /names no user/);
});
