// Commands of pages that wait, and for what.

/** A command that waits for an hour or more for what a failure never brings: who started it finds that out at its end. */
export function vainWaits(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => /kubectl wait .*--timeout=\d+h/.test(line))
    .filter((line) => /--for=(condition=(Ready|Complete)|jsonpath=.*=Succeeded)/i.test(line))
    .map((line) => line.trim());
}
