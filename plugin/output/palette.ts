// Colors, where they help: on a terminal, unless the person does not want them.
import type { ColorChoice } from "../command/flags";
import type { World } from "../command/world";

export type Paint = (text: string) => string;
/** Puts colors around a text. */
export type Palette = Readonly<Record<"bold" | "dim" | "green" | "yellow" | "red", Paint>>;

const plainly: Paint = (text) => text;
export const plain: Palette = { bold: plainly, dim: plainly, green: plainly, yellow: plainly, red: plainly };

const painted =
  (code: number): Paint =>
  (text) =>
    text === "" ? text : `\x1b[${code}m${text}\x1b[0m`;
export const colors: Palette = {
  bold: painted(1),
  dim: painted(2),
  green: painted(32),
  yellow: painted(33),
  red: painted(31),
};

/** What colors are made of; a split keeps it. */
// eslint-disable-next-line no-control-regex -- that is how terminals are told
export const colorMark = /(\x1b\[(?:[0-2]|3[1-3])m)/;

/** By the flag, the terminal and NO_COLOR (https://no-color.org). */
export function paletteFor(choice: ColorChoice, { isTerminal, environment }: World): Palette {
  const isWanted = isTerminal && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  return choice === "always" || (choice === "auto" && isWanted) ? colors : plain;
}
