import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const textOf = (path: string): string => readFileSync(join(__dirname, "../..", path), "utf8");

const readme = textOf("README.md").replace(/\s+/g, " ");

/** The cells of the rows of a page's tables that begin with a name. */
function rowsOf(path: string, name: string): string[][] {
  const rows = textOf(path)
    .split("\n")
    .filter((line) => line.startsWith(`| \`${name}\``));
  assert.ok(rows.length > 0, `${path} has ${name}`);
  return rows.map((row) => row.split("|").map((cell) => cell.trim()));
}

/** Our figure of the performance page, and how many times faster it is than stock. */
function figure(name: string): { ours: string; faster: string } {
  const [[, , , , ours = "", , , faster = ""] = []] = rowsOf("docs/performance.md", name);
  assert.match(`${ours} ${faster}`, /^[\d.]+ [\d.]+×$/);
  return { ours, faster };
}

test("the README's figures of performance are those of docs/performance.md; else write them into it", () => {
  const [create, update] = [figure("create_p50_s"), figure("update_p50_s")];
  const said = `exist after ${create.ours} s and an edit reaches its child in ${update.ours} s (medians), ${create.faster} and ${update.faster} faster`;
  assert.ok(readme.includes(said), said);
});

test("the README's figures of availability are those of docs/availability.md; else write them into it", () => {
  const postgresql = ["asynchronous", "synchronous"];
  const kills = rowsOf("docs/availability.md", "kill").filter(([, , replication = ""]) =>
    postgresql.includes(replication),
  );
  const longest = Math.max(...kills.map((cells) => Number.parseFloat(cells[6] ?? "")));
  assert.ok(readme.includes(`is killed, writes pause for ${longest} s at most`), `${longest} s`);

  const synchronous = textOf("docs/availability.md")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, , replication]) => replication === "synchronous");
  assert.ok(synchronous.length > 5, "rows with synchronous replication");
  assert.deepEqual([...new Set(synchronous.map((cells) => cells[10]))], ["0"], "acknowledged rows that were lost");
});
