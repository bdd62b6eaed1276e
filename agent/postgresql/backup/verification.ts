// What pgBackRest found when it read backups back: it ends well whatever that is.

/** What is wrong, in its own words; undefined where all is well. Throws where it says nothing of the kind. */
export function damageIn(answer: string): string | undefined {
  const lines = answer.split("\n").map((line) => line.trim());
  const status = lines.find((line) => line.startsWith("status:"));
  if (status === undefined) throw new Error(`pgBackRest does not say whether the backup is whole: ${answer.trim()}`);
  if (status === "status: ok") return undefined;
  const isTelling = (line: string): boolean =>
    line !== "" &&
    !/^(stanza|status):/.test(line) &&
    !/: 0$|: none found$|, missing: 0, checksum invalid: 0/.test(line);
  return [status, ...lines.filter(isTelling)].join("; ").slice(0, 1_000);
}
