// The names of what lies in object storage of a Database's backups.

const root = "mysql/";

/** What is below it, one directory for each group that had backups here. */
export const groupsPrefix = root;

/** The entries of complete backups. */
export const entriesOf = (group: string): string => `${root}${group}/backups/`;

/** The directories of all backups, complete or not. */
export const allDataOf = (group: string): string => `${root}${group}/data/`;

/** A backup. */
export interface Named {
  /** The UUID of its group. */
  readonly group: string;
  readonly label: string;
}

export const entryOf = ({ group, label }: Named): string => `${entriesOf(group)}${label}`;

/** Everything of it but its entry. */
export const dataOf = ({ group, label }: Named): string => `${allDataOf(group)}${label}/`;

/** What the parts are, and which files are in them. */
export const contentsOf = (backup: Named): string => `${dataOf(backup)}contents`;

/** Such that they sort as they follow. */
export const partOf = (backup: Named, index: number): string => `${dataOf(backup)}${String(index).padStart(8, "0")}`;

const labelPattern = /^[a-z][-a-z0-9]*-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** When a backup of that label began, in milliseconds since 1970; undefined where it is no label. */
export function beganAt(label: string): number | undefined {
  const [, year, month, day, hour, minute, second] = labelPattern.exec(label) ?? [];
  if (second === undefined) return undefined;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}
