// Names of files of the binary log: they end with a number, which counts up and becomes longer than six digits.

/** Of a file. */
export const numberOf = (name: string): number => Number(/\.(\d+)$/.exec(name)?.[1] ?? Number.NaN);

/** Those that are names of such files, in their order. */
export const inOrderOfNumbers = (names: readonly string[]): string[] =>
  names.filter((name) => /\.\d+$/.test(name)).sort((one, other) => numberOf(one) - numberOf(other));
