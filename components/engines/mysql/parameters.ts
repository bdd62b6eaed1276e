// MySQL parameters: which ones a user may set, to which values, and which need a restart of the members.
import type { ParameterProblem } from "../engine";
import { boundedProblem, refusalOf } from "../parameter-classes";
import { bounds, groupOf } from "./classes";
import known97 from "./parameters-9.7.json";
import { valueProblem, type ParameterKind } from "./values";

type Known = Readonly<Record<string, ParameterKind>>;

const namePattern = /^[a-z][a-z0-9_]*$/;
// A value becomes one argument of the server.
const controlCharacters = /\p{Cc}/u;

/** The most that all parameters together may take, in bytes. */
const mostBytes = 128 * 1024;

/** What the server of this version knows; nothing for a version whose parameters are not recorded. */
function recordedFor(version: string): Known | undefined {
  return version === "9.7" ? (known97 as Known) : undefined;
}

/** The parameters of the version, or of the nearest that is recorded. */
export const knownFor = (version: string): Known => recordedFor(version) ?? (known97 as Known);

/** What is wrong with `config` for a server of `version`, in the order of the names. */
export function parameterProblems(config: Readonly<Record<string, string>>, version: string): ParameterProblem[] {
  const problems = Object.entries(config)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([parameter, value]) => {
      const problem = problemOf(parameter, value, version);
      return problem === undefined ? [] : [{ parameter, message: `parameter "${parameter}" ${problem}` }];
    });
  return [...sizeProblems(config), ...problems];
}

function sizeProblems(config: Readonly<Record<string, string>>): ParameterProblem[] {
  const bytes = ([name, value]: readonly [string, string]): number => Buffer.byteLength(JSON.stringify([name, value]));
  const entries = Object.entries(config).sort((left, right) => bytes(right) - bytes(left));
  const total = entries.reduce((sum, entry) => sum + bytes(entry), 0);
  const [largest] = entries;
  if (largest === undefined || total <= mostBytes) return [];
  const message = `parameter "${largest[0]}" and the others take ${total} bytes together: shorten them to ${mostBytes} bytes`;
  return [{ parameter: largest[0], message }];
}

function problemOf(parameter: string, value: string, version: string): string | undefined {
  if (!namePattern.test(parameter)) return "is no name of a parameter: use lower-case letters, digits and _";
  const refusal = refusalOf(groupOf(parameter));
  if (refusal !== undefined) return refusal;
  if (controlCharacters.test(value)) return "has a line break or another control character in its value: remove it";
  const known = recordedFor(version);
  if (known === undefined) return undefined;
  const kind = Object.hasOwn(known, parameter) ? known[parameter] : undefined;
  if (kind === undefined) return `is unknown to MySQL ${version}: see SHOW GLOBAL VARIABLES for the names that exist`;
  const problem = boundedProblem(value, kind, bounds.get(parameter), valueProblem);
  return problem && `is "${value}": it ${problem}`;
}
