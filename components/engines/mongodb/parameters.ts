// Which parameters of MongoDB may be set, what their values must be, and whether a running server takes them over.
// Names with a dot are options of the configuration file; the others are server parameters.
import type { MemberConfiguration, MemberParameter } from "../../../contract/member";
import type { Settings } from "../../settings";
import type { ParameterProblem, StartParameters } from "../engine";
import { sortedByName } from "../sorted";
import { boundedProblem, refusalOf } from "../parameter-classes";
import { bounds, groupOf } from "./classes";
import { known, type ParameterKind } from "./known-parameters";
import { computedParametersOf } from "./memory";

/** What is wrong with `config`, in the order of the names. The table is that of the release series 7.0. */
export function parameterProblems(config: Readonly<Record<string, string>>): ParameterProblem[] {
  return Object.entries(config)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([parameter, value]) => {
      const problem = problemOf(parameter, value);
      return problem === undefined ? [] : [{ parameter, message: `parameter "${parameter}" ${problem}` }];
    });
}

function problemOf(parameter: string, value: string): string | undefined {
  const refusal = refusalOf(groupOf(parameter));
  if (refusal !== undefined) return refusal;
  const kind = Object.hasOwn(known, parameter) ? known[parameter] : undefined;
  if (kind === undefined) {
    return "is none of those that can be set: docs/parameters.md has their names, spelled as MongoDB spells them";
  }
  const problem = boundedProblem(value, kind, bounds.get(parameter), valueProblem);
  return problem && `is "${value}": it ${problem}`;
}

function valueProblem(value: string, kind: ParameterKind): string | undefined {
  switch (kind.type) {
    case "boolean":
      return value === "true" || value === "false" ? undefined : 'must be "true" or "false"';
    case "choice":
      return kind.values.includes(value) ? undefined : `must be one of ${kind.values.join(", ")}`;
    case "integer":
      return /^-?\d{1,15}$/.test(value) ? rangeProblem(Number(value), kind) : "must be a whole number";
    case "number":
      return /^-?\d{1,15}(\.\d{1,6})?$/.test(value) ? rangeProblem(Number(value), kind) : "must be a number";
  }
}

function rangeProblem(
  value: number,
  { min, max }: { readonly min: number; readonly max?: number },
): string | undefined {
  if (value < min) return `must be at least ${min}`;
  return max !== undefined && value > max ? `must be at most ${max}` : undefined;
}

/** Parameters in effect, the user's over the computed ones, sorted by name. */
export function parametersOf(settings: Settings): Record<string, string> {
  return sortedByName({ ...computedParametersOf(settings.resources), ...settings.config });
}

const needsRestart = (name: string): boolean => known[name]?.restart !== false;

/** What comes with a member's pod: the parameters in effect that a member takes over only by a restart. */
export const startParametersOf = (settings: Settings): StartParameters => chosen(settings, ({ restart }) => restart);

/** What running members are told. */
export const wantedOf = (settings: Settings): MemberConfiguration => ({
  replicas: settings.replicas,
  parameters: chosen(settings, ({ restart }) => !restart),
});

function chosen(settings: Settings, isChosen: (parameter: MemberParameter) => boolean): StartParameters {
  const all = Object.entries(parametersOf(settings)).map(([name, value]): [string, MemberParameter] => [
    name,
    { value, restart: needsRestart(name) },
  ]);
  return Object.fromEntries(all.filter(([, parameter]) => isChosen(parameter)));
}
