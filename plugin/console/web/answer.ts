// Pages as answers.
import { saidPage, type Said } from "../pages/said";
import { documentOf, versionOf, type Page } from "../pages/shell";
import type { ConsoleContext } from "./context";
import type { TroubleStatus } from "./trouble";

/** A page; nothing where the browser has the same already. */
export function shown(c: ConsoleContext, page: Page): Response {
  const version = `"${versionOf(page.body)}"`;
  c.header("ETag", version);
  if (page.changes !== undefined && c.req.header("If-None-Match") === version) return c.body(null, 304);
  return c.html(documentOf(page, c.var.frame));
}

export function refused(c: Pick<ConsoleContext, "html" | "var">, status: TroubleStatus, said: Said): Response {
  const next = said.next ?? { href: c.var.frame.links.fleet, words: "All Databases" };
  return c.html(documentOf(saidPage({ ...said, next }), c.var.frame), status);
}
