import assert from "node:assert/strict";
import test from "node:test";
import { contentsWithout, planOf } from "./extensions";

const available = new Map([
  ["hstore", { isTrusted: true, schema: undefined }],
  ["bloom", { isTrusted: false, schema: undefined }],
  ["dblink", { isTrusted: false, schema: undefined }],
  ["plpython3u", { isTrusted: false, schema: "pg_catalog" }],
  ["postgis_topology", { isTrusted: false, schema: "topology" }],
]);

test("the application makes what it may, the superuser the rest, in schemas that are there before", () => {
  const found = planOf(
    [
      { name: "hstore", schema: "public" },
      { name: "bloom", schema: 'We "ird' },
      { name: "postgis_topology", schema: "topology" },
    ],
    available,
  );
  assert.deepEqual(found, {
    // what the dump has of it would be there twice
    schemas: ['We "ird', "topology"],
    making: [
      { by: "application", statement: 'CREATE SCHEMA "We ""ird"' },
      { by: "application", statement: 'CREATE EXTENSION IF NOT EXISTS "hstore" SCHEMA "public" CASCADE' },
      { by: "superuser", statement: 'CREATE EXTENSION IF NOT EXISTS "bloom" SCHEMA "We ""ird" CASCADE' },
      // its schema is its own
      { by: "superuser", statement: 'CREATE EXTENSION IF NOT EXISTS "postgis_topology" CASCADE' },
    ],
  });
});

test("those that the image lacks are named before anything is made", () => {
  const plan = planOf(
    ["hstore", "postgis", "timescaledb"].map((name) => ({ name, schema: "public" })),
    available,
  );
  assert.match("problem" in plan ? plan.problem : "", /^the image has no extension postgis, timescaledb: /);
});

test("those that open ways out of the database are not made by a superuser for who asks for them", () => {
  const wanted = ["hstore", "dblink", "bloom", "plpython3u"].map((name) => ({ name, schema: "public" }));
  const plan = planOf(wanted, available);
  assert.match("problem" in plan ? plan.problem : "", /^extension dblink, plpython3u can be made by a superuser alone/);
});

test("of the contents only what was made before is left out", () => {
  const contents = [
    "; Selected TOC Entries:",
    "11; 2615 16387 SCHEMA - We ird postgres",
    "12; 2615 16388 SCHEMA - We irder postgres",
    "5; 3079 16584 EXTENSION - dblink ",
    "3580; 0 0 COMMENT - EXTENSION dblink ",
    "3581; 0 0 COMMENT - SCHEMA We ird postgres",
    "3584; 0 0 COMMENT public FUNCTION f() postgres",
    "224; 1259 16631 TABLE public EXTENSION own",
    "",
  ];
  assert.deepEqual(contentsWithout(contents.join("\n"), ["We ird"]).split("\n"), [
    contents[0],
    contents[2],
    ...contents.slice(6),
  ]);
});
