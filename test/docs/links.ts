// Links of Markdown pages: what they point to must exist, their anchors too, by GitHub's rule for the anchors of headings.
import { dirname, join, normalize } from "node:path";

/** The text of each committed file, by its path from the root of the repository. */
export type Tree = ReadonlyMap<string, string>;

/** A line for each relative link of a page that leads nowhere, such as `README.md: docs.md#install`. */
export function brokenLinks(tree: Tree): string[] {
  const folders = new Set([...tree.keys()].flatMap(foldersAbove));
  const isBroken = (page: string, link: string): boolean => {
    const [file = "", anchor] = link.split("#", 2);
    const path = file === "" ? page : normalize(join(dirname(page), file)).replace(/\/$/, "");
    const text = tree.get(path);
    if (text === undefined) return !folders.has(path) || anchor !== undefined;
    return anchor !== undefined && !anchorsOf(text).has(anchor);
  };
  return pagesOf(tree).flatMap(([page, text]) =>
    linksOf(text)
      .filter((link) => isBroken(page, link))
      .map((link) => `${page}: ${link}`),
  );
}

/** Pages under docs/, but for decisions, to which no other page leads. */
export function lonelyPages(tree: Tree): string[] {
  const linked = new Set(
    pagesOf(tree).flatMap(([page, text]) =>
      linksOf(text).flatMap((link) => {
        const target = normalize(join(dirname(page), link.split("#", 1)[0] ?? ""));
        return target === page ? [] : [target];
      }),
    ),
  );
  return pagesOf(tree)
    .map(([page]) => page)
    .filter((page) => page.startsWith("docs/") && !page.startsWith("docs/adr/") && !linked.has(page));
}

/** A line for each page under docs/ that a file other than a page names, in a comment or a string, and that does not exist. */
export function brokenMentions(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    if (path.endsWith(".md")) return [];
    const mentions = [...text.matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([mention]) => mention);
    return mentions.filter((mention) => !exists(tree, mention)).map((mention) => `${path}: ${mention}`);
  });
}

function exists(tree: Tree, mention: string): boolean {
  const [page = "", anchor] = mention.split("#", 2);
  const text = tree.get(page);
  return text !== undefined && (anchor === undefined || anchorsOf(text).has(anchor));
}

/** The relative links of a page, images included; those in code are none. */
function linksOf(text: string): string[] {
  const prose = withoutBlocks(text).replace(/`[^`\n]*`/g, "code");
  const targets = [
    ...prose.matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g),
    ...prose.matchAll(/^\s*\[[^\]]+\]:\s+(\S+)/gm),
    ...prose.matchAll(/\b(?:href|src)="([^"]+)"/g),
  ].map(([, target = ""]) => target);
  return targets.filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));
}

/** The anchors of a page's headings; the second one of a text ends in -1. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n += 1) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

function slugOf(heading: string): string {
  const shown = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return shown.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, "").replace(/\s/g, "-");
}

function withoutBlocks(text: string): string {
  return text.replace(/^( *)(`{3,})[^\n]*\n[^]*?^ *\2[ \t]*$/gm, "");
}

function pagesOf(tree: Tree): (readonly [string, string])[] {
  return [...tree].filter(([path]) => path.endsWith(".md"));
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [folder] : [folder, ...foldersAbove(folder)];
}
