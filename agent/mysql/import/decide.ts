// Whether databases of another server can be imported here: pure.
import type { Found, FoundTable } from "./origin";

/** Why not, and what to do; undefined where they can. `wanted`: databases; `ownVersion`: of the image's server, such as "9.7.4". */
export function problemOf(
  { version, databases, tables }: Found,
  wanted: readonly string[],
  ownVersion: string,
): string | undefined {
  if (/mariadb/i.test(version)) return `the source is MariaDB (${version}), whose dumps MySQL does not take in`;
  const [there, here] = [seriesOf(version), seriesOf(ownVersion)];
  if (there > here)
    return `the source is MySQL ${version}, which is newer than ${ownVersion}: choose a version that is not older`;
  const missing = wanted.filter((name) => !databases.includes(name));
  if (missing.length > 0)
    return `the source has no database ${missing.join(", ")}, or its user may not see it: grant SELECT, SHOW VIEW, TRIGGER and EVENT on it`;
  return (
    tablesProblem(
      tables,
      ({ engine }) => engine.toLowerCase() !== "innodb",
      "not of InnoDB, so that they cannot be read as of one moment, nor be in a group: change their engine",
    ) ??
    tablesProblem(
      tables,
      ({ hasKey }) => !hasKey,
      "without a primary key, so that a group takes no writes to them: add one",
    )
  );
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
