// What the server of a drill has beside what that of any restore has. Pure.

const mebibyte = 1024 ** 2;

/** Event triggers of these versions also fire for sessions that begin. */
const withLoginTriggers = 17;

/** `control`: the output of `pg_controldata`, in English. `major`: of the server. */
export function drillSettings(control: string, major: string): Readonly<Record<string, string>> {
  const segment = Number(/^Bytes per WAL segment:\s+(\d+)$/m.exec(control)?.[1] ?? 16 * mebibyte) / mebibyte;
  return {
    // the volume is as large as the data's, and the WAL of a replay would stay on it; the server wants room for two segments
    max_wal_size: `${Math.max(64, 4 * segment)}MB`,
    min_wal_size: `${Math.max(32, 2 * segment)}MB`,
    // no trigger of the data has a part in it
    session_replication_role: "replica",
    ...(Number(major) >= withLoginTriggers && { event_triggers: "off" }),
  };
}
