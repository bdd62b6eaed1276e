import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brokenLinks, brokenMentions, lonelyPages, type Tree } from "./links";

const root = join(__dirname, "../..");

/** The committed files, as they are in the work tree; new ones that git does not ignore among them. */
function workTree(): Tree {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = [...new Set(listed.split("\0"))].filter((path) => path !== "" && existsSync(join(root, path)));
  return new Map(paths.map((path) => [path, /\.jsonl?$/.test(path) ? "" : readFileSync(join(root, path), "utf8")]));
}

const tree = workTree();

test("every relative link of every page leads to a file, and its anchor to a heading", () => {
  assert.ok([...tree.keys()].filter((path) => path.endsWith(".md")).length > 40, "there are pages to look at");
  assert.deepEqual(brokenLinks(tree), []);
});

test("every page of the documentation is linked from another one, as from its index", () => {
  assert.deepEqual(lonelyPages(tree), []);
  assert.deepEqual(lonelyPages(pages("[x](../a.md)")), ["docs/deep/b.md"]);
});

test("every page that code names exists", () => {
  const others = [...tree].filter(([path]) => !path.startsWith("test/docs/")); // the pages below exist in this test only
  assert.deepEqual(brokenMentions(new Map(others)), []);
});

const pages = (b: string): Tree =>
  new Map([
    ["docs/a.md", "# A page\n"],
    ["docs/deep/b.md", b],
    ["image.svg", ""],
  ]);

for (const [what, page] of [
  ["a file that does not exist", "[x](c.md)"],
  ["an anchor that does not exist", "[x](../a.md#b-page)"],
  ["an anchor of its own that does not exist", "# Here\n[x](#there)"],
  ["an anchor that is in a block of code only", "```\n# There\n```\n[x](#there)"],
  ["an image that does not exist", "![x](../image.svg)"],
  ["a reference that does not exist", "[x]: c.md"],
] as const) {
  test(`${what} is reported`, () => {
    const [told = "", ...others] = brokenLinks(pages(page));
    assert.match(told, /^docs\/deep\/b\.md: /);
    assert.deepEqual(others, []);
  });
}

for (const [what, page] of [
  ["a file", "[x](../a.md)"],
  ["a folder", "[x](../deep/) and [y](..)"],
  ["an image", "![x](../../image.svg)"],
  ["an anchor of another page", "[x](../a.md#a-page)"],
  ["a heading with code and punctuation", "## MySQL: `pulumi up`, too\n[x](#mysql-pulumi-up-too)"],
  ["a heading with a dash between spaces", "## A – b\n[x](#a--b)"],
  ["the second of two equal headings", "## Look\n## Look\n[x](#look-1)"],
  ["another site, which is not looked at", "[x](https://example.com/c.md#d)"],
  ["something in code, which is not a link", "`[x](c.md)`\n\n```\n[x](c.md)\n```"],
] as const) {
  test(`a link to ${what} is fine`, () => {
    assert.deepEqual(brokenLinks(pages(page)), []);
  });
}

test("a page that a comment names and that does not exist is reported, and so is its anchor", () => {
  const code = "// As docs/a.md#a-page says; not docs/a.md#other, nor docs/c.md.\n";
  assert.deepEqual(brokenMentions(new Map([...pages(""), ["code.ts", code]])), [
    "code.ts: docs/a.md#other",
    "code.ts: docs/c.md",
  ]);
});
