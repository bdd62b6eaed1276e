// What the members' agent reads: how many members there must be, and the parameters in effect. Those that need a restart come with a pod.
import type { Settings } from "../../settings";
import { sortedByName } from "../sorted";
import { sizedParametersOf } from "./sizes";
import { known } from "./known-parameters";
import type { StartParameters } from "../engine";
import type { MemberConfiguration, MemberParameter } from "../../../contract/member";

/** Parameters in effect, the user's over the computed ones, sorted by name. */
export function parametersOf(settings: Settings): Record<string, string> {
  return sortedByName({ ...sizedParametersOf(settings.resources), ...settings.config });
}

const needsRestart = (name: string): boolean => known[name]?.restart !== false;

/** What comes with a member's pod: the parameters in effect that a member applies only by a restart. */
export const startParametersOf = (settings: Settings): StartParameters => chosen(settings, ({ restart }) => restart);

/** The text of the ConfigMap's key `member.json`. */
export function memberConfigurationOf(settings: Settings): string {
  const { replicas } = settings;
  const wanted: MemberConfiguration = { replicas, parameters: chosen(settings, ({ restart }) => !restart) };
  return JSON.stringify(wanted);
}

function chosen(settings: Settings, isChosen: (parameter: MemberParameter) => boolean): StartParameters {
  const all = Object.entries(parametersOf(settings)).map(([name, value]): [string, MemberParameter] => [
    name,
    { value, restart: needsRestart(name) },
  ]);
  return Object.fromEntries(all.filter(([, parameter]) => isChosen(parameter)));
}
