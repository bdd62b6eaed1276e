// How the parameters of every engine are checked: each by itself, in the order of the names, and what all of them take together.
import type { ParameterProblem } from "./engine";

/** The most that all parameters together may take, in bytes: half of what Kubernetes allows for all annotations of an object. */
const maxBytes = 128 * 1024;

const controlCharacters = /\p{Cc}/u;

/** What `problemOf` finds, a sentence without the name, of each parameter. */
export function problemsOfEach(
  config: Readonly<Record<string, string>>,
  problemOf: (parameter: string, value: string) => string | undefined,
): ParameterProblem[] {
  return Object.entries(config)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([parameter, value]) => {
      const problem = problemOf(parameter, value);
      return problem === undefined ? [] : [{ parameter, message: `parameter "${parameter}" ${problem}` }];
    });
}

/** Names the largest, where all together take too many bytes. `counted` says how they are counted, where that is no matter of course. */
export function sizeProblems(
  config: Readonly<Record<string, string>>,
  bytesOf: (parameter: string, value: string) => number,
  counted = "",
): ParameterProblem[] {
  const sizes = Object.entries(config)
    .map(([parameter, value]) => ({ parameter, bytes: bytesOf(parameter, value) }))
    .sort((left, right) => right.bytes - left.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const [largest] = sizes;
  if (largest === undefined || total <= maxBytes) return [];
  const message = `parameter "${largest.parameter}" and the others take ${total} bytes together${counted}: shorten them to ${maxBytes} bytes`;
  return [{ parameter: largest.parameter, message }];
}

/** A value becomes one line of a file, or one argument. */
export const lineProblem = (value: string): string | undefined =>
  controlCharacters.test(value) ? "has a line break or another control character in its value: remove it" : undefined;
