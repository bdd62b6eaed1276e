// What the pages show of the plugin is what it prints. `UPDATE_TRANSCRIPTS=1` writes it.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { approvalKeys } from "../../contract/approvals";
import { invocation } from "../../plugin/command/name";
import type { Cluster } from "../../plugin/command/world";
import { verbs } from "../../plugin/verbs";
import { fakeCluster, type Stored } from "../fakes/plugin/cluster";
import { dryRunOf, files, reportOn } from "../fakes/plugin/previews";
import { approvedBilling, everything, finance, orders, plan } from "../fakes/plugin/shop";
import { runPlugin } from "../fakes/plugin/world";

const root = join(__dirname, "../..");
const pages = ["README.md", "docs/databases/plugin.md", "docs/databases/history.md"];
const isUpdate = process.env["UPDATE_TRANSCRIPTS"] === "1";

/** Blocks of one command and what it printed; commands of which a page shows no output have others around them. */
const block = new RegExp(`^\`\`\`console\\n\\$ ${invocation} (.*)\\n([^$]*?)\`\`\`$`, "gm");

const turns = [everything[0], approvedBilling].map((object) => ({ type: "MODIFIED", object }));
const shown = [...everything, ...finance];

/** What a verb finds otherwise than the others do. */
const found: Readonly<Record<string, Stored>> = {
  reject: {
    ...approvedBilling,
    metadata: { ...approvedBilling.metadata, annotations: { [approvalKeys.approve]: plan } },
  },
  resume: { ...orders, spec: { ...z.looseObject({}).parse(orders["spec"]), paused: true } },
};

function clusterFor(verb: string): Cluster {
  const other = found[verb];
  const objects = shown.map((one) =>
    one.kind === other?.kind && one.metadata.name === other.metadata.name ? other : one,
  );
  return fakeCluster({ objects, preview: reportOn, turns });
}

const verbOf = (line: string): string => line.split(" ")[0] ?? "";

/** As a terminal shows it. */
async function printed(line: string): Promise<string> {
  const cluster = clusterFor(verbOf(line));
  const { screen } = await runPlugin(line, { cluster, files, kubectl: dryRunOf, answer: "y" });
  return screen;
}

const told = new Set<string>();

for (const page of pages) {
  test(`what ${page} shows of the plugin is what it prints`, async () => {
    const path = join(root, page);
    const text = await readFile(path, "utf8");
    const blocks = [...text.matchAll(block)];
    assert.notEqual(blocks.length, 0);
    let updated = text;
    for (const [whole, line = ""] of blocks) {
      told.add(verbOf(line));
      const now = `\`\`\`console\n$ ${invocation} ${line}\n${await printed(line)}\`\`\``;
      if (isUpdate) updated = updated.replace(whole, () => now);
      else assert.equal(whole, now, `${page}: UPDATE_TRANSCRIPTS=1 writes what it prints now`);
    }
    if (isUpdate) await writeFile(path, updated);
  });
}

// the console prints a link that is another one each time, and stays
test("every verb that asks a cluster has a transcript", () => {
  const asking = verbs
    .filter(({ flags, name }) => flags.includes("context") && name !== "console")
    .map(({ name }) => name);
  assert.deepEqual(
    asking.filter((name) => !told.has(name)),
    [],
  );
});
