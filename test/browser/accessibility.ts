// What axe finds on a page, by the rules of WCAG 2.2 AA.
import axe from "axe-core";
import type { Page } from "puppeteer-core";
import { z } from "zod";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const Found = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
  passes: z.array(z.unknown()),
});

/** One line for each rule that is broken, with the first place where it is. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)} })`;
  const { violations, passes } = Found.parse(await page.evaluate(run));
  if (passes.length === 0) throw new Error("axe looked at nothing");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.length} times, such as ${nodes[0]?.html ?? "?"}`);
}
