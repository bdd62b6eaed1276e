// What a change does to those who use a database: its word, and its color.
import { effects, type Effect } from "../../contract/effects";
import type { Paint, Palette } from "./palette";

const words: Readonly<Record<Effect, string>> = {
  ...{ None: "", Reload: "settings are read again", Exposure: "LESS PROTECTED", Removal: "MEMBERS GO" },
  ...{ RollingRestart: "RESTARTS", Switchover: "SWITCHOVER", Downtime: "DOWNTIME" },
  ...{ CannotBeTold: "CANNOT BE TOLD", DataLoss: "DATA LOSS" },
};

export const effectPaint = (effect: Effect, { red, yellow }: Palette): Paint | undefined => {
  if (effect === "DataLoss" || effect === "Downtime") return red;
  return effect === "None" || effect === "Reload" ? undefined : yellow;
};

interface Told {
  readonly effect: Effect;
  readonly message: string;
}

/** The sentence, behind the word of its effect. */
export function effectText({ effect, message }: Told, palette: Palette): string {
  const word = words[effect];
  return word === "" ? message : `${effectPaint(effect, palette)?.(word) ?? word}: ${message}`;
}

/** The weightiest first, and last what clients do not notice. */
export const byWeight = <One extends Told>(all: readonly One[]): readonly One[] =>
  [...all].sort((a, b) => effects.indexOf(b.effect) - effects.indexOf(a.effect));
