// What pgBackRest found when it read backups back: it ends well whatever that is.

/** What is wrong. */
export interface Damage {
  /** In its own words. */
  readonly why: string;
  /** The backups of which files are missing, or not what was written. */
  readonly labels: ReadonlySet<string>;
  /** Those that it calls invalid as well, but of which it could not read something: a storage that fails for a moment does that. */
  readonly unread: ReadonlySet<string>;
  /** Whether WAL is missing, or not what was written. */
  readonly isWalDamaged: boolean;
}

/** What it says of one backup, or of the archive. */
interface Section {
  /** Undefined: of the archive. */
  readonly label: string | undefined;
  readonly isBad: boolean;
  isDamaged: boolean;
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
    !/^missing: 0, checksum invalid: 0, size invalid: 0, other: 0$|: none found$/.test(line);
  const why = [status, ...lines.filter(isTelling)].join("; ").slice(0, 1_000);
  const bad = sectionsIn(lines).filter(({ isBad }) => isBad);
  return {
    why,
    labels: labelsOf(bad.filter(({ isDamaged }) => isDamaged)),
    unread: labelsOf(bad.filter(({ isDamaged }) => !isDamaged)),
    isWalDamaged: bad.some(({ label, isDamaged }) => label === undefined && isDamaged),
  };
}

function sectionsIn(lines: readonly string[]): readonly Section[] {
  const sections: Section[] = [];
  for (const line of lines) {
    const [, label, state = ""] = /^backup: (\S+), status: ([^,]+)/.exec(line) ?? [];
    // it is missing where the storage says that there is none, not where it does not answer
    const isManifestMissing = state === "manifest missing";
    if (label !== undefined)
      sections.push({ label, isBad: isManifestMissing || state === "invalid", isDamaged: isManifestMissing });
    else if (line.startsWith("archiveId:")) sections.push({ label: undefined, isBad: true, isDamaged: false });
    const section = sections.at(-1);
    if (section !== undefined && /\b(missing|checksum invalid|size invalid): [1-9]/.test(line))
      section.isDamaged = true;
  }
  return sections;
}

const labelsOf = (sections: readonly Section[]): ReadonlySet<string> =>
  new Set(sections.map(({ label }) => label).filter((label) => label !== undefined));
