// MySQL parameters: which ones a user may set, to which values, and which need a restart of the members.
import { lineProblem, problemsOfEach, sizeProblems } from "../parameter-checks";
import type { ParameterProblem } from "../engine";
import { boundedProblem, refusalOf } from "../parameter-classes";
import { bounds, groupOf } from "./classes";
import { recordedFor } from "./known-parameters";
import { valueProblem } from "./values";

const namePattern = /^[a-z][a-z0-9_]*$/;

/** What is wrong with `config` for a server of `version`, in the order of the names. */
export function parameterProblems(config: Readonly<Record<string, string>>, version: string): ParameterProblem[] {
  return [
    ...sizeProblems(config, (name, value) => Buffer.byteLength(JSON.stringify([name, value]))),
    ...problemsOfEach(config, (parameter, value) => problemOf(parameter, value, version)),
  ];
}

function problemOf(parameter: string, value: string, version: string): string | undefined {
  if (!namePattern.test(parameter)) return "is not a valid parameter name: use lower-case letters, digits and _";
  const refusal = refusalOf(groupOf(parameter));
  if (refusal !== undefined) return refusal;
  const broken = lineProblem(value);
  if (broken !== undefined) return broken;
  const known = recordedFor(version);
  if (known === undefined) return undefined;
  const kind = Object.hasOwn(known, parameter) ? known[parameter] : undefined;
  if (kind === undefined) return `is unknown to MySQL ${version}: see SHOW GLOBAL VARIABLES for the names that exist`;
  const problem = boundedProblem(value, kind, bounds.get(parameter), valueProblem);
  return problem && `is "${value}": it ${problem}`;
}
