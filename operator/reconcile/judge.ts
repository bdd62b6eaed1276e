// Judges a valid spec against what it refers to: engine, catalogue, ConfigMap, reserved parameters.
import { compareVersions, versionsOf } from "../api/catalogue";
import type { Database } from "../api/object";
import type { Desired } from "../stack/desired";
import { stalled, type Outcome } from "./outcome";
import type { Ports } from "../ports";

export type Judgement =
  { readonly kind: "accepted"; readonly desired: Desired } | { readonly kind: "refused"; readonly outcome: Outcome };

type Inputs = Pick<Ports, "world" | "engines" | "configSource">;

/** What `database` shall be, or why it cannot be. */
export async function judge(database: Database, at: Inputs): Promise<Judgement> {
  const { metadata, spec } = database;
  if (!at.engines.available.includes(spec.engine)) {
    const available = at.engines.available.join(", ");
    return refuse(stalled("EngineUnavailable", `this operator cannot run ${spec.engine} yet; available: ${available}`));
  }
  const image = at.world.catalogue[spec.engine]?.[spec.version]?.image;
  if (image === undefined) return refuse(versionUnavailable(database, at));
  const source = await sourceOf(database, at);
  if (source === undefined) {
    const message = `spec.configFrom names ConfigMap ${spec.configFrom?.name ?? ""}, which does not exist in namespace ${metadata.namespace}; create it or remove configFrom`;
    return refuse(stalled("ConfigSourceMissing", message));
  }
  const config = { ...source, ...spec.config };
  const problems = at.engines.parameterProblems(spec, config);
  if (problems.length > 0) return refuse(stalled("ParameterReserved", problems.join("; ")));
  const { name, namespace, uid } = metadata;
  const desired = { owner: { name, namespace, uid }, spec, image, config, serviceMonitors: at.world.serviceMonitors };
  return { kind: "accepted", desired };
}

const refuse = (outcome: Outcome): Judgement => ({ kind: "refused", outcome });

function versionUnavailable({ spec }: Database, at: Inputs): Outcome {
  const versions = versionsOf(at.world.catalogue, spec.engine).join(", ");
  const hint = versions === "" ? "the catalogue has none; ask whoever runs the platform" : `available: ${versions}`;
  return stalled("VersionUnavailable", `the catalogue has no ${spec.engine} ${spec.version}; ${hint}`);
}

async function sourceOf(
  { metadata, spec }: Database,
  at: Inputs,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (spec.configFrom === undefined) return {};
  return at.configSource(metadata.namespace, spec.configFrom.name);
}

/**
 * Refuses a step that the data files do not allow: to another major version, or down. `from` is the version that runs,
 * empty where none does. The API server refuses to go down already; that can be bypassed.
 */
export function judgeUpgrade(from: string, to: string): Outcome | undefined {
  if (from === "") return undefined;
  if (majorOf(from) !== majorOf(to)) {
    return stalled(
      "UpgradeUnsupported",
      `no way from major version ${majorOf(from)} to ${majorOf(to)} yet; write ${from}`,
    );
  }
  return compareVersions(to, from) < 0
    ? stalled("UpgradeUnsupported", `cannot go down from ${from}; write ${from}`)
    : undefined;
}

const majorOf = (version: string): string => version.split(".")[0] ?? "";
