// Which parameters of MongoDB may be set, what their values must be, and whether a running server applies them.
// Names with a dot are options of the configuration file; the others are server parameters.
import { problemsOfEach } from "../parameter-checks";
import type { ParameterProblem } from "../engine";
import { boundedProblem, refusalOf } from "../parameter-classes";
import { bounds, groupOf } from "./classes";
import { valueProblem } from "./values";
import { known } from "./known-parameters";

/** What is wrong with `config`, in the order of the names. The table is that of the release series 7.0. */
export const parameterProblems = (config: Readonly<Record<string, string>>): ParameterProblem[] =>
  problemsOfEach(config, problemOf);

function problemOf(parameter: string, value: string): string | undefined {
  const refusal = refusalOf(groupOf(parameter));
  if (refusal !== undefined) return refusal;
  const kind = Object.hasOwn(known, parameter) ? known[parameter] : undefined;
  if (kind === undefined) {
    return "is not a settable parameter: docs/parameters.md has their names, spelled as MongoDB spells them";
  }
  const problem = boundedProblem(value, kind, bounds.get(parameter), valueProblem);
  return problem && `is "${value}": it ${problem}`;
}
