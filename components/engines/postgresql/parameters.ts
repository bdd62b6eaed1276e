// PostgreSQL parameters: which ones a user may set, to which values, and which need a restart of the members.
import type { ParameterProblem } from "../engine";
import { boundedProblem, refusalOf } from "../parameter-classes";
import { bounds } from "./bounds";
import { groupOf } from "./classes";
import { fixedGroup, knownFor, likeliest, type KnownParameters } from "./known";
import { librariesProblem, libraryParameters, ofImage } from "./libraries";
import { nearestTo } from "./nearest";
import { processProblems } from "./processes";
import { valueProblem, type ParameterKind } from "./values";

const namePattern = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$/;
// A value becomes one line of a configuration file.
const controlCharacters = /\p{Cc}/u;

/**
 * The most that all parameters together may take in the annotation that members read them from, in bytes: half of what
 * Kubernetes allows for all annotations of an object.
 */
const mostBytes = 128 * 1024;

/** What is wrong with `config` for a server of `version`, in the order of the names. `libraries`: see `Engine`. */
export function parameterProblems(
  config: Readonly<Record<string, string>>,
  version: string,
  libraries?: readonly string[],
): ParameterProblem[] {
  const problems = Object.entries(config)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([parameter, value]) => {
      const problem = problemOf(parameter, value, { version, libraries });
      return problem === undefined ? [] : [{ parameter, message: `parameter "${parameter}" ${problem}` }];
    });
  return [...sizeProblems(config), ...problems, ...(problems.length === 0 ? processProblems(config) : [])];
}

function sizeProblems(config: Readonly<Record<string, string>>): ParameterProblem[] {
  const sizes = Object.entries(config)
    .map(([parameter, value]) => ({ parameter, bytes: escapedBytes(parameter) + escapedBytes(value) }))
    .sort((left, right) => right.bytes - left.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const [largest] = sizes;
  if (largest === undefined || total <= mostBytes) return [];
  const message = `parameter "${largest.parameter}" and the others take ${total} bytes together, characters beyond ASCII six or more each: shorten them to ${mostBytes} bytes`;
  return [{ parameter: largest.parameter, message }];
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
  if (controlCharacters.test(value)) return "has a line break or another control character in its value: remove it";
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
  // of an image that is not known nobody can tell what it has
  if (problem !== undefined || libraries === undefined || !libraryParameters.has(parameter)) return problem;
  return librariesProblem(value, [...(known[ofImage]?.values ?? []), ...libraries]);
}

/** The server itself prints some names with capitals, such as TimeZone, and takes any spelling; two of one name could differ here. */
function nameProblem(parameter: string): string {
  const lower = parameter.toLowerCase();
  return namePattern.test(lower)
    ? `must be written in lower case: ${lower}`
    : "is no name of a parameter: use lower-case letters, digits, _ and .";
}

function suggestionFor(parameter: string, names: readonly string[]): string {
  const nearest = nearestTo(parameter, names);
  return nearest === undefined ? ": see pg_settings for the names that exist" : `: did you mean "${nearest}"?`;
}

/** The ones of `parameters` that a member takes over only by a restart. */
export function needingRestart(parameters: Readonly<Record<string, string>>, version: string): Record<string, string> {
  const known = knownFor(version) ?? likeliest;
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => known[name]?.restart === true));
}
