import assert from "node:assert/strict";
import test from "node:test";
import { contentsWithout, planOf } from "./extensions";

const available = new Map([
  ["hstore", { isTrusted: true, schema: undefined }],
  ["dblink", { isTrusted: false, schema: undefined }],
  ["cron", { isTrusted: false, schema: "cron" }],
]);

test("the application makes what it may, the superuser the rest, in schemas that are there before", () => {
  const found = planOf(
    [
      { name: "hstore", schema: "public" },
      { name: "dblink", schema: 'We "ird' },
      { name: "cron", schema: "cron" },
    ],
    available,
  );
  assert.deepEqual(found, {
    schemas: ['We "ird'],
    making: [
      { by: "application", statement: 'CREATE SCHEMA "We ""ird"' },
      { by: "application", statement: 'CREATE EXTENSION IF NOT EXISTS "hstore" SCHEMA "public" CASCADE' },
      { by: "superuser", statement: 'CREATE EXTENSION IF NOT EXISTS "dblink" SCHEMA "We ""ird" CASCADE' },
      // its schema is its own
      { by: "superuser", statement: 'CREATE EXTENSION IF NOT EXISTS "cron" CASCADE' },
    ],
  });
});

test("those that the image lacks are named before anything is made", () => {
  const wanted = ["hstore", "postgis", "timescaledb"].map((name) => ({ name, schema: "public" }));
  assert.deepEqual(planOf(wanted, available), { lacking: ["postgis", "timescaledb"] });
});

test("of the contents only what was made before is left out", () => {
  const contents = [
    "; Selected TOC Entries:",
    "11; 2615 16387 SCHEMA - We ird postgres",
    "12; 2615 16388 SCHEMA - We irder postgres",
    "5; 3079 16584 EXTENSION - dblink ",
    "3580; 0 0 COMMENT - EXTENSION dblink ",
    "3584; 0 0 COMMENT public FUNCTION f() postgres",
    "224; 1259 16631 TABLE public EXTENSION own",
    "",
  ];
  assert.deepEqual(contentsWithout(contents.join("\n"), ["We ird"]).split("\n"), [
    contents[0],
    contents[2],
    ...contents.slice(5),
  ]);
});
