// Whether databases of another server can be imported here: pure.
import type { Found, FoundTable } from "./origin";

/** Why not, and what to do; undefined where they can. `wanted`: databases; `ownVersion`: of the image's server, such as "9.7.4". */
export function problemOf(
  { version, databases, tables, missingRights, endlessEvents }: Found,
  wanted: readonly string[],
  ownVersion: string,
): string | undefined {
  if (/mariadb/i.test(version)) return `the source is MariaDB (${version}), whose dumps MySQL does not take in`;
  const [there, here] = [seriesOf(version), seriesOf(ownVersion)];
  if (there > here)
    return `the source is MySQL ${version}, which is newer than ${ownVersion}: choose a version that is not older`;
  return (
    sightProblem(
      wanted.filter((name) => !databases.includes(name)),
      missingRights,
    ) ??
    tablesProblem(
      tables,
      ({ engine }) => engine.toLowerCase() !== "innodb",
      "not of InnoDB, so that they cannot be read as of one moment, nor be in a group: change their engine",
    ) ??
    tablesProblem(
      tables,
      ({ hasKey }) => !hasKey,
      "without a primary key, so that a group takes no writes to them: add one",
    ) ??
    tablesProblem(
      tables,
      ({ isEncrypted }) => isEncrypted,
      "encrypted with a key of that server, which a Database has none of: alter them to ENCRYPTION='N'",
    ) ??
    (endlessEvents.length === 0
      ? undefined
      : `mysqldump does not end at the text ";;" in event ${endlessEvents.join(", ")}: write it otherwise, or drop the event`)
  );
}

/** What is there and not seen is no less than what is not there. */
function sightProblem(missing: readonly string[], rights: readonly string[]): string | undefined {
  const grants = `grant its user what lets it see all of them, and delete the Job: ${rights.join("; ")}`;
  if (missing.length > 0) {
    const none = `the source has no database ${missing.join(", ")}`;
    return rights.length === 0 ? none : `${none}, or its user may not see it: ${grants}`;
  }
  return rights.length === 0
    ? undefined
    : `the source hides from its user what it may not see, and does not say so: ${grants}`;
}

/** As a number that can be compared. */
function seriesOf(version: string): number {
  const [major = 0, minor = 0] = (/^\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
  return major * 1_000 + minor;
}

const mostNamed = 5;

function tablesProblem(
  tables: readonly FoundTable[],
  isWrong: (table: FoundTable) => boolean,
  what: string,
): string | undefined {
  const names = tables.filter(isWrong).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return `tables ${names.slice(0, mostNamed).join(", ")}${more} are ${what} at the source`;
}
