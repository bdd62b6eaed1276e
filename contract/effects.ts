// What a change can do to those who use a database. It imports nothing.

/** From the lightest to the weightiest. */
export const effects = [
  /** Clients notice nothing. */
  "None",
  /** Servers read their settings again, while they serve. */
  "Reload",
  /** Nothing for now; but what may fail later takes more with it than it would have. */
  "Exposure",
  /** Members go for good: their connections end, and their volumes stay. */
  "Removal",
  /** Members restart, one after the other: their connections end. */
  "RollingRestart",
  /** Another member becomes primary: clients that write reconnect. */
  "Switchover",
  /** No member serves, or none takes writes, for a while. */
  "Downtime",
  /** It depends on what cannot be seen before. */
  "CannotBeTold",
  /** Clients do not find some of their data again, or backups of them are gone for good. */
  "DataLoss",
] as const;
export type Effect = (typeof effects)[number];

/** Those that a policy can name: of what cannot be told, each of them may happen. */
export const namedEffects = [
  "Reload",
  "Exposure",
  "Removal",
  "RollingRestart",
  "Switchover",
  "Downtime",
  "DataLoss",
] as const satisfies readonly Effect[];
export type NamedEffect = (typeof namedEffects)[number];

/** What a window is for, where it does not say. */
export const windowEffects = ["RollingRestart", "Switchover", "Downtime"] as const satisfies readonly NamedEffect[];

/** What a release of the operator does to no Database that did not agree, unless the platform says otherwise. */
export const releaseEffects = [
  "Removal",
  "RollingRestart",
  "Switchover",
  "Downtime",
  "DataLoss",
] as const satisfies readonly NamedEffect[];

/** What the name of a time zone looks like: UTC, or an area and a place. */
export const timeZonePattern = /^(UTC|[A-Z][A-Za-z_]*(\/[A-Za-z0-9_+-]+){1,2})$/;

/** How long a window is open: hours, minutes or both. */
export const durationPattern = /^([1-9][0-9]?h([1-9][0-9]?m)?|[1-9][0-9]?m)$/;

/** Limits of a policy. */
export const policyLimits = { windows: 10, schedule: 100, timeZone: 64, duration: 64 } as const;
