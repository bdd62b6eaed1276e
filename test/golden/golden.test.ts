// Goldens: what each case registers is what a reviewed file says. `UPDATE_GOLDEN=1` writes the files again.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { stringify } from "yaml";
import type { DatabaseArgs } from "../../components";
import { childKinds } from "../../components/naming";
import { possibleChildren } from "../judges/invariants/model";
import { keyInClear } from "../engines/postgresql";
import { cases, passwords } from "./cases";
import { record } from "./record";

const name = "my-postgres";
const fileOf = (title: string): string => join(__dirname, `${title}.yaml`);

async function render(args: DatabaseArgs): Promise<string> {
  const resources = await record(name, args);
  const options = { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false };
  return resources
    .map((resource) => `--- # ${resource.type} ${resource.name}\n${stringify(resource, options)}`)
    .join("");
}

/** `value` with the keys of every object in the opposite order. */
function reversed<T>(value: T): T {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, item]) => [key, reversed(item as unknown)])) as T;
}

const children = async (args: DatabaseArgs): Promise<string[]> =>
  (await record(name, args))
    .filter(({ type }) => type.startsWith("kubernetes:"))
    .map((child) => `${child.type.split(":").at(-1) ?? ""} ${child.name}`);

const known = Object.entries(childKinds).flatMap(([kind, { names }]) => names(name).map((child) => `${kind} ${child}`));
const judged = possibleChildren(name).map((child) => `${child.kind} ${child.name}`);

for (const [title, args] of Object.entries(cases)) {
  test(`the operator knows the children of the case "${title}", and so does the judge of its clusters`, async () => {
    const found = await children(args);
    assert.ok(found.length > 10);
    const isMissingIn = (all: readonly string[]): string[] => found.filter((child) => !all.includes(child));
    assert.deepEqual(isMissingIn(known), [], "childKinds in components/naming.ts");
    assert.deepEqual(isMissingIn(judged), [], "test/judges/invariants/model.ts");
  });

  test(`the resources of the case "${title}" are the reviewed ones`, async () => {
    const rendered = await render(args);
    if (process.env["UPDATE_GOLDEN"] === "1") await writeFile(fileOf(title), rendered);
    assert.equal(rendered, await readFile(fileOf(title), "utf8"), "run with UPDATE_GOLDEN=1 and review the difference");
  });

  test(`the case "${title}" is the same whatever the order of keys`, async () => {
    assert.equal(await render(reversed(args)), await render(args));
  });

  test(`no password or key of the case "${title}" leaves the program in clear`, async () => {
    const rendered = await render(args);
    for (const password of [...Object.values(passwords), keyInClear]) {
      assert.ok(!rendered.includes(password), `${password} is in clear`);
      assert.ok(!rendered.includes(Buffer.from(password).toString("base64")), `${password} is in clear, as base64`);
    }
  });
}
