import assert from "node:assert/strict";
import test from "node:test";
import { parseDatabase } from "./object";

const server = { host: "old-db.example.com", databases: ["shop"], credentials: { name: "old-db" } };

/** What is wrong with a Database that begins with it. */
function problemsOf(initFrom: Record<string, unknown>, some: Record<string, unknown> = {}): readonly string[] {
  const spec = { engine: "postgresql", version: "17.6", initFrom: { ...server, ...initFrom }, ...some };
  const metadata = { name: "shop", namespace: "team", uid: "u", resourceVersion: "1", generation: 1 };
  const parsed = parseDatabase({ metadata, spec });
  return parsed.ok ? [] : parsed.problems;
}

test("a server is verified where nothing else is asked for, and has the usual port", () => {
  const metadata = { name: "shop", namespace: "team", uid: "u", resourceVersion: "1", generation: 1 };
  const parsed = parseDatabase({ metadata, spec: { engine: "postgresql", version: "17.6", initFrom: server } });
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.database.spec.initFrom, { ...server, tls: { mode: "Verify" } });
});

for (const [what, initFrom] of [
  ["an address", { host: "10.0.0.7" }],
  ["an address of IPv6", { host: "fd00::7" }],
  ["a name of the cluster", { host: "orders.team.svc" }],
  ["a port", { port: 6432 }],
  ["an authority", { tls: { ca: { name: "old-db-ca" } } }],
  ["no encryption", { tls: { mode: "Disable" } }],
] as const)
  test(`accepted: ${what}`, () => {
    assert.deepEqual(problemsOf(initFrom), []);
  });

for (const [what, initFrom, some, problem] of [
  ["an option in place of a host", { host: "-c" }, {}, /^spec\.initFrom\.host: must be a host name or an address/],
  ["a socket", { host: "/run/postgresql" }, {}, /^spec\.initFrom\.host: must be/],
  ["a connection string", { databases: ["dbname=a host=b"] }, {}, /^spec\.initFrom\.databases: must be names of/],
  ["an option in place of a database", { databases: ["--help"] }, {}, /^spec\.initFrom\.databases: must be names of/],
  ["no database", { databases: [] }, {}, /^spec\.initFrom\.databases: /],
  ["a database twice", { databases: ["a", "a"] }, { engine: "mysql" }, /must name each database once/],
  ["two for PostgreSQL", { databases: ["a", "b"] }, {}, /PostgreSQL takes in one database, which becomes app/],
  ["a template", { databases: ["template1"] }, {}, /is the server's own/],
  ["a backup as well", {}, { restore: { from: { name: "orders" } } }, /write restore or initFrom/],
  ["another way to encrypt", { tls: { mode: "Perhaps" } }, {}, /must be one of Verify, Require, Disable/],
] as const)
  test(`refused with a message that helps: ${what}`, () => {
    assert.match(problemsOf(initFrom, some).join("\n"), problem);
  });
