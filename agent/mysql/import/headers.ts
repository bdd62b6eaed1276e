// Single lines of a dump that a server of this image, and of another account, must be told otherwise: pure.

const quoted = ["`(?:[^`]|``)*`", '"(?:[^"]|"")*"', "'(?:[^']|'')*'"].join("|");
const definition = new RegExp(
  `^((?:/\\*!\\d+ )?(?:CREATE\\*/ /\\*!\\d+ |CREATE )?)DEFINER=(?:${quoted})@(?:${quoted})`,
);

/** A statement with another definer, where it begins or continues one that mysqldump wrote. Its quotes are those of the mode that it was made in. */
export const withDefiner = (line: string, definer: string): string => line.replace(definition, `$1DEFINER=${definer}`);

/** Modes of former servers, which no later one takes; what they did, it always or never does. */
const former: ReadonlySet<string> = new Set([
  ...["NO_AUTO_CREATE_USER", "NO_FIELD_OPTIONS", "NO_KEY_OPTIONS", "NO_TABLE_OPTIONS"],
  ...["DB2", "MAXDB", "MSSQL", "MYSQL323", "MYSQL40", "ORACLE", "POSTGRESQL"],
]);

/** A statement that sets the mode in which something was made, with those alone that there are. */
export const knownModes = (line: string): string =>
  line.replace(
    /^(\/\*!\d+ SET sql_mode\s*= ')([A-Z0-9_,]*)'/,
    (_, begin: string, modes: string) =>
      `${begin}${modes
        .split(",")
        .filter((mode) => !former.has(mode))
        .join(",")}'`,
  );
