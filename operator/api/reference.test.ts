import assert from "node:assert/strict";
import test from "node:test";
import { backupSchema } from "./backups/crd";
import { databaseSchema } from "./crd";
import { isReason, REASON_TEXTS, REASONS } from "./reasons";
import { fieldsOf, referencePage } from "./reference";
import { CONDITION_TYPES } from "./status";

const page = referencePage();

test("the reference page has a row for every field of spec and status", () => {
  const { spec, status } = databaseSchema().properties ?? {};
  assert.ok(spec && status);
  const missing = [...fieldsOf(spec, "spec"), ...fieldsOf(status, "status")].filter(
    ({ path }) => !page.includes(`| \`${path}\` |`),
  );
  assert.deepEqual(
    missing.map(({ path }) => path),
    [],
  );
});

test("the reference page has a row for every field of a DatabaseBackup", () => {
  const { spec, status } = backupSchema().properties ?? {};
  assert.ok(spec && status);
  const section = page.slice(page.indexOf("## DatabaseBackup"));
  for (const { path } of [...fieldsOf(spec, "spec"), ...fieldsOf(status, "status")])
    assert.ok(section.includes(`| \`${path}\` |`), path);
});

test("the reference page explains every condition and every reason", () => {
  assert.equal(REASONS.length, 87);
  const missing = [...CONDITION_TYPES, ...REASONS].filter((word) => !page.includes(`| \`${word}\` |`));
  assert.deepEqual(missing, []);
});

test("every reason is CamelCase, unique, and explained by a because", () => {
  for (const [reason, because] of Object.values(REASON_TEXTS).flatMap((texts) => Object.entries<string>(texts))) {
    assert.match(reason, /^[A-Z][A-Za-z]+$/);
    assert.match(because, /^because .+[^.]$/);
  }
  assert.equal(new Set(REASONS).size, REASONS.length);
  assert.equal(isReason("Whatever"), false);
});

test("no cell breaks its table: every row has the cells of its head", () => {
  let columns = 0;
  for (const line of page.split("\n")) {
    const cells = line.startsWith("|") ? line.replaceAll("\\|", "").split("|").length : 0;
    assert.ok(columns === 0 || cells === 0 || cells === columns, line);
    columns = cells;
  }
});
