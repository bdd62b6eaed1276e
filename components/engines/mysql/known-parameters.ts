// What the servers say about their parameters: a table for each release series, which `make parameters` writes.
import known97 from "./parameters-9.7.json";
import type { ParameterKind } from "./values";

/** Parameters by name. */
export type KnownParameters = Readonly<Record<string, ParameterKind>>;

/** By release series. */
export const tables: ReadonlyMap<string, KnownParameters> = new Map([["9.7", known97 as KnownParameters]]);

/** What the server of this version knows; nothing for a version whose parameters are not recorded. */
export function recordedFor(version: string): KnownParameters | undefined {
  return tables.get(version);
}

/** The parameters of the version, or of the nearest that is recorded. */
export const knownFor = (version: string): KnownParameters => recordedFor(version) ?? (known97 as KnownParameters);
