// Circles of imports: between files anywhere, and between the files and folders of each folder of the product.
import { dirname } from "node:path";
import { importsAmong, importsWithin, type Imports } from "./imports";

const product = ["operator", "components", "contract", "agent", "infra", "plugin", "stacks"];
const all = [...product, "examples", "measure", "test", "tools"];

/** Every circle below `root`, each as its members in the order of the imports. */
export function circles(root: string): readonly (readonly string[])[] {
  const imports = importsAmong(root, [`{${all.join(",")}}/**/*.{ts,tsx}`]);
  const isProduct = (file: string): boolean => product.includes(file.split("/")[0] ?? "") && !file.endsWith(".test.ts");
  const ofProduct = new Map([...imports].filter(([file]) => isProduct(file)));
  const folders = new Set([...ofProduct.keys()].flatMap(foldersAbove));
  return [
    ...circlesIn(imports),
    ...[...folders].sort().flatMap((folder) => circlesIn(importsWithin(folder, ofProduct)).filter(hasFolder)),
  ];
}

/** Those of files alone are reported already. */
const hasFolder = (circle: readonly string[]): boolean => circle.some((entry) => !/\.tsx?$/.test(entry));

function foldersAbove(file: string): string[] {
  const folder = dirname(file);
  return folder === "." ? [""] : [folder, ...foldersAbove(folder)];
}

/** Circles that have no import in common: one import too many is reported once, whatever else it closes. */
function circlesIn(imports: Imports): readonly (readonly string[])[] {
  const left = new Map([...imports].map(([from, targets]) => [from, new Set(targets)]));
  return [...imports.keys()].flatMap((start) => {
    const circle = shortestCircle(start, left);
    circle?.forEach((from, index) => left.get(from)?.delete(circle[index + 1] ?? start));
    return circle === undefined ? [] : [circle];
  });
}

/** The shortest way from `start` back to it; undefined where there is none. */
function shortestCircle(start: string, imports: Imports): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const at of queue) {
    for (const to of imports.get(at) ?? []) {
      if (to === start) return wayTo(at, start, cameFrom);
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, at);
      queue.push(to);
    }
  }
  return undefined;
}

function wayTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const before = cameFrom.get(end);
  return end === start || before === undefined ? [start] : [...wayTo(before, start, cameFrom), end];
}
