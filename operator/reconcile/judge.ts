// Judges a valid spec against what it refers to (engine, catalogue, ConfigMap, parameters) and what the last run declared.
import { majorOf } from "../../contract/versions";
import { compareVersions, versionsOf, type Catalogue, type CatalogueEntry } from "../api/catalogue";
import type { Database } from "../api/object";
import { fitsIn } from "../api/quantity";
import type { DatabaseSpec } from "../api/spec";
import type { Desired } from "../domain/desired";
import { stalled, type Outcome } from "../domain/outcome";
import type { Declared } from "../domain/records";
import type { Ports } from "../domain/ports";
import { isBetween, type Upgrade } from "../domain/upgrade";
import { withPossibleDrills } from "./drills";

export type Judgement =
  { readonly kind: "accepted"; readonly desired: Desired } | { readonly kind: "refused"; readonly outcome: Outcome };

type Inputs = Pick<Ports, "world" | "engines" | "configSource" | "volumes">;

/** What `database` shall be, or why it cannot be. `upgrade`: the one in progress, whose images stay known where the catalogue loses them. */
export async function judge(database: Database, at: Inputs, upgrade?: Upgrade): Promise<Judgement> {
  const { metadata, spec } = database;
  const entry = at.world.catalogue[spec.engine]?.[spec.version] ?? entryIn(upgrade, spec.version);
  if (entry === undefined) {
    return refuse(stalled("VersionUnavailable", versionProblem(spec, at.world.catalogue) ?? ""));
  }
  const source = await sourceOf(metadata.namespace, spec, at);
  if (source === undefined) return refuse(stalled("ConfigSourceMissing", sourceMissing(metadata.namespace, spec)));
  const config = { ...source, ...spec.config };
  const problems = [...at.engines.parameterProblems(spec, config, entry), ...at.engines.memoryProblems(spec, config)];
  if (problems.length > 0) return refuse(stalled("ParameterReserved", problems.join("; ")));
  const beyond = limitProblems(spec, config, entry);
  if (beyond.length > 0) return refuse(stalled("ImageLimited", beyond.join("; ")));
  const { name, namespace, uid } = metadata;
  const { image } = entry;
  const { serviceMonitors } = at.world;
  const keptBackups = at.world.keptBackups(`${namespace}/${name}`);
  const possible = await withPossibleDrills(database, at.volumes);
  const desired = { owner: { name, namespace, uid }, spec: possible, image, config, serviceMonitors, keptBackups };
  return { kind: "accepted", desired };
}

function entryIn(upgrade: Upgrade | undefined, version: string): CatalogueEntry | undefined {
  if (upgrade === undefined || !isBetween(upgrade, version)) return undefined;
  return { image: upgrade.images[version === upgrade.to ? "to" : "from"] };
}

const refuse = (outcome: Outcome): Judgement => ({ kind: "refused", outcome });

/** Why the version cannot be had, and which can; undefined where the catalogue has it. */
export function versionProblem({ engine, version }: DatabaseSpec, catalogue: Catalogue): string | undefined {
  if (catalogue[engine]?.[version] !== undefined) return undefined;
  const versions = versionsOf(catalogue, engine).join(", ");
  const hint = versions === "" ? "the catalogue has none; ask the platform team" : `available: ${versions}`;
  return `the catalogue has no ${engine} ${version}; ${hint}`;
}

/** What is asked of the server that its image cannot do, by the catalogue; one sentence each. */
export function limitProblems(
  { engine, version, replicas, tls }: DatabaseSpec,
  config: Readonly<Record<string, string>>,
  { limits }: CatalogueEntry,
): readonly string[] {
  const image = `the image of ${engine} ${version}`;
  const most = limits?.replicas;
  const parameters = Object.keys(config).sort();
  return [
    ...(most !== undefined && replicas > most
      ? [`spec.replicas: ${image} runs ${most === 1 ? "one member" : `${most} members`} at most: write ${most}`]
      : []),
    ...(limits?.config === false && parameters.length > 0
      ? [`spec.config: ${image} takes no parameters: remove ${parameters.join(", ")}`]
      : []),
    ...(isBeyond(tls, limits)
      ? [`spec.tls.mode: ${image} knows no TLS: write Off, or have another image entered in the catalogue`]
      : []),
  ];
}

const isBeyond = (tls: DatabaseSpec["tls"], limits: CatalogueEntry["limits"]): boolean =>
  limits?.tls === false && tls?.mode !== undefined && tls.mode !== "Off";

/** What is said of a Database whose configFrom names nothing. */
export function sourceMissing(namespace: string, { configFrom }: DatabaseSpec): string {
  return `spec.configFrom names ConfigMap ${configFrom?.name ?? ""}, which does not exist in namespace ${namespace}; create it or remove configFrom`;
}

/** The parameters that configFrom names; none where it is left out, and undefined where the ConfigMap is missing. */
export async function sourceOf(
  namespace: string,
  { configFrom }: DatabaseSpec,
  { configSource }: Pick<Ports, "configSource">,
): Promise<Readonly<Record<string, string>> | undefined> {
  return configFrom === undefined ? {} : configSource(namespace, configFrom.name);
}

/** What a run for `spec` declares of the things that cannot change freely afterwards. */
export function declaredOf(spec: DatabaseSpec): Declared {
  const volume = spec.backup.destination?.volume;
  const backupVolume = {
    backupSize: volume?.size ?? spec.storage,
    backupStorageClass: volume?.storageClass ?? spec.storageClass,
  };
  return {
    engine: spec.engine,
    version: spec.version,
    storage: spec.storage,
    storageClass: spec.storageClass,
    ...(spec.backup.enabled && spec.backup.destination?.s3 === undefined ? backupVolume : {}),
  };
}

/**
 * Refuses a step that data files or volumes do not allow, from what the last successful run declared. The API server
 * refuses most of them already; that can be bypassed. An upgrade in progress has judged its versions.
 */
export function judgeChange(
  declared: Declared | undefined,
  spec: DatabaseSpec,
  upgrade: Upgrade | undefined,
): Outcome | undefined {
  if (declared === undefined) return undefined;
  const problems = fixedProblems(declared, declaredOf(spec));
  if (problems.length > 0) return stalled("SpecInvalid", problems.join("; "));
  return isBetween(upgrade, spec.version) ? undefined : judgeUpgrade(declared.version, spec.version);
}

/** What may not change, or not shrink, and what to write instead. */
function fixedProblems(before: Declared, wanted: Declared): string[] {
  const volume = "spec.backup.destination.volume";
  const hasBackups = before.backupSize !== undefined && wanted.backupSize !== undefined;
  return [
    changed("spec.engine", before.engine, wanted.engine),
    shrunk("spec.storage", before.storage, wanted.storage),
    changed("spec.storageClass", before.storageClass, wanted.storageClass),
    ...(hasBackups
      ? [
          shrunk(`${volume}.size`, before.backupSize, wanted.backupSize),
          changed(`${volume}.storageClass`, before.backupStorageClass, wanted.backupStorageClass),
        ]
      : []),
  ].filter((problem) => problem !== undefined);
}

function changed(path: string, before: string | undefined, wanted: string | undefined): string | undefined {
  if (before === wanted) return undefined;
  return `${path}: cannot be changed: ${before === undefined ? "remove it" : `write ${before}`}`;
}

function shrunk(path: string, before: string | undefined, wanted: string | undefined): string | undefined {
  return fitsIn(before, wanted) ? undefined : `${path}: must not shrink: write ${before ?? ""} or more`;
}

function judgeUpgrade(from: string, to: string): Outcome | undefined {
  if (majorOf(from) !== majorOf(to)) {
    return stalled(
      "UpgradeUnsupported",
      `the data are those of major version ${majorOf(from)}, and no upgrade to ${majorOf(to)} is in progress; write ${from}`,
    );
  }
  return compareVersions(to, from) < 0
    ? stalled("UpgradeUnsupported", `cannot go down from ${from}; write ${from}`)
    : undefined;
}
