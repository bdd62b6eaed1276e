// PostgreSQL parameters: which ones a user may set, to which values, and which need a restart of the members.
import { lineProblem, problemsOfEach, sizeProblems } from "../parameter-checks";
import type { ParameterProblem } from "../engine";
import { boundedProblem, refusalOf } from "../parameter-classes";
import { bounds } from "./bounds";
import { groupOf } from "./classes";
import { fixedGroup, knownFor, likeliest, type KnownParameters } from "./known-parameters";
import { librariesProblem, libraryParameters, ofImage } from "./libraries";
import { nearestTo } from "./nearest";
import { processProblems } from "./processes";
import { valueProblem, type ParameterKind } from "./values";

const namePattern = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$/;

/** What is wrong with `config` for a server of `version`, in the order of the names. `libraries`: see `Engine`. */
export function parameterProblems(
  config: Readonly<Record<string, string>>,
  version: string,
  libraries?: readonly string[],
): ParameterProblem[] {
  const problems = problemsOfEach(config, (parameter, value) => problemOf(parameter, value, { version, libraries }));
  return [
    ...sizeProblems(
      config,
      (parameter, value) => escapedBytes(parameter) + escapedBytes(value),
      ", characters beyond ASCII six or more each",
    ),
    ...problems,
    ...(problems.length === 0 ? processProblems(config) : []),
  ];
}

/** Length of a text as a string of ASCII JSON. */
function escapedBytes(text: string): number {
  const beyondAscii = Array.from(text.matchAll(/[\u007f-\uffff]/g)).length;
  return JSON.stringify(text).length + 5 * beyondAscii;
}

interface Server {
  readonly version: string;
  readonly libraries: readonly string[] | undefined;
}

function problemOf(parameter: string, value: string, { version, libraries }: Server): string | undefined {
  if (!namePattern.test(parameter)) return nameProblem(parameter);
  const refusal = refusalOf(groupOf(parameter));
  if (refusal !== undefined) return refusal;
  const broken = lineProblem(value);
  if (broken !== undefined) return broken;
  const known = knownFor(version);
  if (known === undefined || parameter.includes(".")) return undefined;
  const kind = Object.hasOwn(known, parameter) ? known[parameter] : undefined;
  if (kind === undefined) return `is unknown to PostgreSQL ${version}${suggestionFor(parameter, Object.keys(known))}`;
  if (kind.fixed) return refusalOf(fixedGroup);
  const problem = judgedProblem(value, { parameter, kind, known, libraries });
  return problem && `is "${value}": it ${problem}`;
}

interface Judged extends Pick<Server, "libraries"> {
  readonly parameter: string;
  readonly kind: ParameterKind;
  readonly known: KnownParameters;
}

function judgedProblem(value: string, { parameter, kind, known, libraries }: Judged): string | undefined {
  const problem = boundedProblem(value, kind, bounds.get(parameter), valueProblem);
  // of an image that is not known it is not known what it has
  if (problem !== undefined || libraries === undefined || !libraryParameters.has(parameter)) return problem;
  return librariesProblem(value, [...(known[ofImage]?.values ?? []), ...libraries]);
}

/** The server itself prints some names with capitals, such as TimeZone, and takes any spelling; two of one name could differ here. */
function nameProblem(parameter: string): string {
  const lower = parameter.toLowerCase();
  return namePattern.test(lower)
    ? `must be written in lower case: ${lower}`
    : "is not a valid parameter name: use lower-case letters, digits, _ and .";
}

function suggestionFor(parameter: string, names: readonly string[]): string {
  const nearest = nearestTo(parameter, names);
  return nearest === undefined ? ": see pg_settings for the names that exist" : `: did you mean "${nearest}"?`;
}

/** The ones of `parameters` that a member applies only by a restart. */
export function needingRestart(parameters: Readonly<Record<string, string>>, version: string): Record<string, string> {
  const known = knownFor(version) ?? likeliest;
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => known[name]?.restart === true));
}
