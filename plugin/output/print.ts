// Prints what a verb found, in the form that was asked for.
import type { Asked } from "../command/asked";
import { plainBetween } from "../../operator/objects/plain-text";
import type { World } from "../command/world";
import { documentText } from "./document";
import { colorMark, paletteFor, type Palette } from "./palette";

/** Where and when it is printed. */
export interface View {
  readonly palette: Palette;
  readonly now: Date;
}

/** What was found, in each form. */
export interface Found {
  /** For `-o json` and `-o yaml`. */
  readonly document: unknown;
  /** For `-o name`, such as `database.example.com/orders`. */
  readonly names: readonly string[];
  readonly lines: (view: View) => readonly string[];
}

export async function print({ output, color }: Asked, world: World, found: Found): Promise<void> {
  world.out(harmless(await textIn(output, found, { palette: paletteFor(color, world), now: world.now() })));
}

async function textIn(output: Asked["output"], { document, names, lines }: Found, view: View): Promise<string> {
  switch (output) {
    case "json":
    case "yaml":
      return documentText(document, output);
    case "name":
      return linesText(names);
    case "wide":
    case undefined:
      return linesText(lines(view));
  }
}

/** Whatever it is made of, a terminal does nothing but change colors. */
const harmless = (text: string): string => plainBetween(colorMark, text);

const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
