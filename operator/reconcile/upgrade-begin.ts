// Whether a major upgrade begins, and what keeps it from that; and what cannot be had of a spec while one is in progress. Pure.
import { majorOf } from "../../contract/versions";
import { compareVersions, type Catalogue } from "../api/catalogue";
import type { StalledReason } from "../api/reasons";
import type { DatabaseSpec } from "../api/spec";
import { needsBackup } from "../api/version-steps";
import type { Desired } from "../domain/desired";
import { stalled, type Outcome } from "../domain/outcome";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { begunUpgrade, declarationOf, wishObstacleOf, type Upgrade } from "../domain/upgrade";
import { obstacleReasons, obstacleText } from "./upgrade-texts";

/** What follows from a version that is asked for. */
export type Beginning =
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly outcome: Outcome }
  | { readonly kind: "begins"; readonly upgrade: Upgrade };

const none: Beginning = { kind: "none" };
const refused = (reason: StalledReason, message: string): Beginning => ({
  kind: "refused",
  outcome: stalled(reason, message),
});

/** What is looked at. */
interface Inputs {
  readonly desired: Desired;
  readonly record: Pick<StackRecord, "declared" | "accepted" | "upgrade"> | undefined;
}

/** See the type. What is refused is refused before anything of the spec is applied. */
export function beginningOf({ desired, record }: Inputs, at: BeginPorts): Beginning {
  if (record?.upgrade !== undefined) return meanwhile(record.upgrade, desired, at);
  const from = formerOf(record, desired);
  if (from === undefined) return none;
  const { catalogue } = at.world;
  const problem = majorStepProblem(from, desired.spec, catalogue);
  if (problem !== undefined) return refused("UpgradeUnsupported", problem);
  const images = imagesOf(from, { desired, record }, catalogue);
  if (images === undefined)
    return refused("UpgradeUnsupported", `the catalogue has no image of ${from} any more, which runs until the end`);
  const { spec, owner } = desired;
  const unfit = formerProblem(from, desired, at);
  if (unfit !== undefined) return unfit;
  const disregarded = spec.upgrade?.confirmed;
  return { kind: "begins", upgrade: begunUpgrade(owner.uid, { from, to: spec.version, images, disregarded }) };
}

/** What is asked for while one is in progress: its members may run the other version, and it may need what is to go. */
function meanwhile(upgrade: Upgrade, desired: Desired, at: BeginPorts): Beginning {
  const { spec, owner } = desired;
  const why = wishObstacleOf(upgrade, spec.version);
  if (why !== undefined) {
    const message = obstacleText(why, upgrade, { name: owner.name, said: undefined });
    return refused(obstacleReasons[why], message);
  }
  const { from, to, phase } = upgrade;
  if (spec.version !== to || declarationOf(upgrade).version !== from) return none;
  const isRehearsed = phase !== "Rehearsing" && phase !== "BackingUp";
  const problem = isRehearsed ? undefined : backupProblem(from, spec);
  if (problem !== undefined) return refused("UpgradeUnsupported", problem);
  return formerProblem(from, desired, at) ?? none;
}

/** Parameters are judged for the version that is asked for; members run the other one meanwhile. */
function formerProblem(from: string, { spec, config }: Desired, at: BeginPorts): Beginning | undefined {
  const { engine } = spec;
  const entry = at.world.catalogue[engine]?.[from];
  const problems = at.engines.parameterProblems({ engine, version: from }, config, entry);
  return problems.length === 0
    ? undefined
    : refused("ParameterReserved", `until the upgrade is complete, members run ${from}: ${problems.join("; ")}`);
}

type BeginPorts = Pick<Ports, "engines"> & { readonly world: Pick<Ports["world"], "catalogue"> };

/** The version that would be left; undefined where none would. Another engine is refused elsewhere. */
function formerOf(record: Inputs["record"], { spec }: Desired): string | undefined {
  if (record?.declared === undefined) return undefined;
  const { engine, version } = record.declared;
  return engine === spec.engine && majorOf(version) !== majorOf(spec.version) ? version : undefined;
}

function imagesOf(from: string, { desired, record }: Inputs, catalogue: Catalogue): Upgrade["images"] | undefined {
  const { spec, image } = desired;
  const versions = catalogue[spec.engine] ?? {};
  const former = versions[from]?.image ?? record?.accepted?.image;
  const job = versions[spec.version]?.upgrade?.image;
  return former === undefined || job === undefined ? undefined : { from: former, to: image, job };
}

/** Why no upgrade leads from a version that runs to the one that is asked for, of another major; undefined where one does. */
export function majorStepProblem(
  from: string,
  spec: Pick<DatabaseSpec, "engine" | "version" | "backup">,
  catalogue: Catalogue,
): string | undefined {
  const { engine, version: to } = spec;
  if (engine !== "postgresql")
    return `upgrading from major version ${majorOf(from)} to ${majorOf(to)} is not supported yet; write ${from}`;
  if (Number(majorOf(to)) < Number(majorOf(from))) return `cannot go down from ${from}; write ${from}`;
  return imageProblem(from, to, catalogue) ?? backupProblem(from, spec);
}

function imageProblem(from: string, to: string, catalogue: Catalogue): string | undefined {
  const upgrade = catalogue.postgresql?.[to]?.upgrade;
  if (upgrade === undefined || majorOf(upgrade.from) !== majorOf(from))
    return `no image of the catalogue carries ${from} over to ${to}; ${reachableText(from, catalogue)}`;
  return compareVersions(from, upgrade.from) > 0
    ? `the image that carries ${upgrade.from} over to ${to} is older than ${from}, which runs: wait for a newer one in the catalogue, and write ${from}`
    : undefined;
}

const backupProblem = (from: string, { backup }: Pick<DatabaseSpec, "backup">): string | undefined =>
  backup.enabled && backup.destination?.s3 === undefined ? undefined : `${needsBackup}, or version: "${from}"`;

function reachableText(from: string, catalogue: Catalogue): string {
  const versions = Object.entries(catalogue.postgresql ?? {})
    .filter(([, { upgrade }]) => upgrade !== undefined && majorOf(upgrade.from) === majorOf(from))
    .map(([version]) => version)
    .sort(compareVersions);
  return versions.length === 0 ? `it has one for no version; write ${from}` : `it has one for ${versions.join(", ")}`;
}
