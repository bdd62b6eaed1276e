// Reads versions out of what programs print, and decides whether a found version may stand in for the pinned one.

/** A version as its three numbers. */
export interface Version {
  major: number;
  minor: number;
  patch: number;
}

/**
 * Which versions of a program found on PATH are used instead of building it: the pinned one only, any of its minor,
 * within some minors of it, from a minimum on in the same major, or none.
 */
export type Fit =
  | { kind: "exact" }
  | { kind: "sameMinor" }
  | { kind: "withinMinors"; minors: number }
  | { kind: "atLeast"; minimum: string }
  | { kind: "none" };

/** The first version (`1.2.3`, with or without v) in a text, or undefined. */
export function parseVersion(text: string): Version | undefined {
  const match = /(?:^|[^\d.])(\d+)\.(\d+)\.(\d+)(?!\.?\d)/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]) } : undefined;
}

/** Answers whether `found` may be used where `pinned` is wanted. */
export function fits(found: Version, pinned: Version, fit: Fit): boolean {
  if (found.major !== pinned.major) return false;
  switch (fit.kind) {
    case "exact":
      return found.minor === pinned.minor && found.patch === pinned.patch;
    case "sameMinor":
      return found.minor === pinned.minor;
    case "withinMinors":
      return Math.abs(found.minor - pinned.minor) <= fit.minors;
    case "atLeast":
      return !isOlder(found, versionOf(fit.minimum));
    case "none":
      return false;
  }
}

/** The version a text stands for. Throws when it holds none. */
export function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (!version) throw new Error(`"${text}" is not a version`);
  return version;
}

/** Answers whether `a` comes before `b`. */
export function isOlder(a: Version, b: Version): boolean {
  if (a.major !== b.major) return a.major < b.major;
  return a.minor !== b.minor ? a.minor < b.minor : a.patch < b.patch;
}
