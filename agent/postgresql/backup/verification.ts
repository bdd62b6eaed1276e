// What pgBackRest found when it read backups back: it ends well whatever that is.

/** What is wrong. */
export interface Damage {
  /** In its own words. */
  readonly why: string;
  /** The backups that it calls damaged. None: what is wrong is WAL, or what it did not look at. */
  readonly labels: ReadonlySet<string>;
}

/** Undefined where all is well. Throws where it says nothing of the kind. */
export function damageIn(answer: string): Damage | undefined {
  const lines = answer.split("\n").map((line) => line.trim());
  const status = lines.find((line) => line.startsWith("status:"));
  if (status === undefined) throw new Error(`pgBackRest does not say whether the backup is whole: ${answer.trim()}`);
  if (status === "status: ok") return undefined;
  const isTelling = (line: string): boolean =>
    line !== "" &&
    !/^(stanza|status):/.test(line) &&
    !/: 0$|: none found$|, missing: 0, checksum invalid: 0/.test(line);
  const why = [status, ...lines.filter(isTelling)].join("; ").slice(0, 1_000);
  const found = lines.map((line) => /^backup: (\S+), status: (?:invalid|manifest missing)/.exec(line)?.[1]);
  return { why, labels: new Set(found.filter((label) => label !== undefined)) };
}
