// Versions of engines as the catalogue has them, `major.minor`, and to which of them a major upgrade leads.
import { engineNames, type EngineName } from "./engines";

/** What a version looks like. */
export const versionPattern = /^[0-9]+\.[0-9]+$/;

/** The first number of a version. */
export const majorOf = (version: string): string => version.split(".")[0] ?? "";

/** A catalogue, as far as major upgrades are concerned. `from`: version of the former programs in the image that carries one out. */
type Upgrades = {
  readonly [engine in EngineName]?:
    Readonly<Record<string, { readonly upgrade?: { readonly from: string } | undefined }>> | undefined;
};

/** An entry of a catalogue to which no major upgrade can lead as it says. */
export interface UpgradeProblem {
  readonly path: [engine: EngineName, version: string, "upgrade"];
  readonly message: string;
}

/** See the interface. */
export function upgradeProblems(catalogue: Upgrades): UpgradeProblem[] {
  return engineNames.flatMap((engine) =>
    Object.entries(catalogue[engine] ?? {}).flatMap(([version, { upgrade }]) => {
      const message = upgrade && problemOf(engine, version, upgrade.from);
      return message === undefined ? [] : [{ path: [engine, version, "upgrade"], message } satisfies UpgradeProblem];
    }),
  );
}

function problemOf(engine: EngineName, version: string, from: string): string | undefined {
  if (engine !== "postgresql") return `upgrade is for versions of PostgreSQL: remove it from ${engine} ${version}`;
  if (Number(majorOf(from)) < Number(majorOf(version))) return undefined;
  return `upgrade.from is ${from}: it must be of a lower major version than ${version}`;
}
