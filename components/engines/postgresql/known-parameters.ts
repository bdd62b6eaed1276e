// What the servers say about their parameters, for each major version: tables that `make parameters` writes.
import known15 from "./parameters-15.json";
import known17 from "./parameters-17.json";
import known18 from "./parameters-18.json";
import type { ParameterGroup } from "../parameter-classes";
import type { ParameterKind } from "./values";

/** Parameters by name. */
export type KnownParameters = Readonly<Record<string, ParameterKind>>;

/** By major version. */
export const tables: ReadonlyMap<string, KnownParameters> = new Map([
  ["15", known15 as KnownParameters],
  ["17", known17 as KnownParameters],
  ["18", known18 as KnownParameters],
]);

/** The table to go by where a version has none of its own. */
export const likeliest: KnownParameters = known17 as KnownParameters;

/** What the server of this version, such as "17.6", knows; nothing for a version whose parameters are not recorded. */
export function knownFor(version: string): KnownParameters | undefined {
  const [major = ""] = version.split(".");
  return tables.get(major);
}

/** Those that the tables call fixed. */
export const fixedGroup: ParameterGroup = {
  class: "owned",
  reason: "it reports how the server was built or the data created; remove it",
  names: [...new Set([...tables.values()].flatMap(Object.entries<ParameterKind>))]
    .flatMap(([name, { fixed }]) => (fixed === true ? [name] : []))
    .join(" "),
};
