import assert from "node:assert/strict";
import test from "node:test";
import { documentsIn } from "./documents";

const database = (name: string): string =>
  `apiVersion: example.com/v1\nkind: Database\nmetadata:\n  name: ${name} # ours\nspec:\n  version: "17.10"\n`;

test("each Database keeps its own text, to the letter", () => {
  const text = `# first\n${database("a")}---\n${database("b")}`;
  const found = documentsIn(text);
  assert.deepEqual(
    found.map((document) => (document.kind === "database" ? document.name : document)),
    ["a", "b"],
  );
  for (const document of found)
    assert.match(document.kind === "database" ? document.text : "", /# ours\n.*\n +version: "17\.10"/);
  assert.doesNotMatch(JSON.stringify(found[1]), /name: a/);
});

test("other kinds are named, also a Database of another group; empty documents are nothing", () => {
  const text = `---\n---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: tuning}\n---\napiVersion: other.io/v1\nkind: Database\nmetadata: {name: x}\n`;
  const found = documentsIn(text).flatMap((one) => (one.kind === "other" ? [one] : []));
  assert.deepEqual(
    found.map(({ title }) => title),
    ["ConfigMap tuning", "Database x"],
  );
  assert.match(found[0]?.text ?? "", /name: tuning/);
  assert.doesNotMatch(found[0]?.text ?? "", /other\.io/);
});

test("companions are known by group and kind, and keep their text", () => {
  const text = "apiVersion: database.example.com/v1\nkind: SampleDB\nmetadata: {name: a}\n";
  assert.deepEqual(documentsIn(text), [{ kind: "companion", plural: "sampledbs", name: "a", text }]);
  const foreign = text.replace("database.example.com", "example.com");
  assert.deepEqual(documentsIn(foreign), [{ kind: "other", title: "SampleDB a", text: foreign }]);
});

test("JSON and Lists are read too", () => {
  const item = { apiVersion: "example.com/v1", kind: "Database", metadata: { name: "a" }, spec: { version: "17.6" } };
  const [found, other] = documentsIn(
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [item, { kind: "Pod" }] }),
  );
  assert.equal(found?.kind, "database");
  assert.deepEqual(documentsIn(found.text), [found]);
  assert.deepEqual(other, { kind: "other", title: "Pod", text: "kind: Pod\n" });
});

for (const [what, text] of [
  ["broken YAML", "kind: [Database"],
  ["a list", "- a\n- b\n"],
] as const) {
  test(`${what} is said to be unreadable`, () => {
    assert.equal(documentsIn(text)[0]?.kind, "unreadable");
  });
}

test("an empty file holds nothing", () => {
  assert.deepEqual(documentsIn(""), []);
});
