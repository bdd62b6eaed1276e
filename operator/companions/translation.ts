// From a companion to the spec of its Database: pure. What a companion leaves out is left out, and so stays the user's.
import type { z } from "zod";
import type { companionResources } from "../../contract/resources";
import { majorOf } from "../../contract/versions";
import { compareVersions, versionsOf, type Catalogue } from "../api/catalogue";
import type { CompanionKind } from "../api/companions/kind";
import { parseCompanion } from "../api/companions/object";
import { postgreSQLCluster, type PostgreSQLClusterSpec } from "../api/companions/postgresql-cluster";
import { sampleDB, type SampleDBSpec } from "../api/companions/sample-db";
import type { StalledReason } from "../api/reasons";
import { withoutGaps } from "./written";

/** What a translation depends on beside the companion. */
export interface TranslationInputs {
  readonly catalogue: Catalogue;
  /** The version that the Database runs; undefined where none does. */
  readonly running: string | undefined;
}

/** The part of a Database's spec that a companion speaks of, or why there is none. */
export type Translation =
  | { readonly kind: "wanted"; readonly spec: unknown }
  | { readonly kind: "refused"; readonly reason: StalledReason; readonly message: string };

/** A kind, and how an object of it becomes a Database. */
export interface Translator {
  readonly kind: CompanionKind;
  readonly translate: (object: unknown, circumstances: TranslationInputs) => Translation;
}

const byKind: Readonly<Record<keyof typeof companionResources, Translator>> = {
  postgreSQLCluster: translator(postgreSQLCluster, clusterToDatabase),
  sampleDB: translator(sampleDB, sampleToDatabase),
};

/** Every kind that the operator translates. */
export const translators: readonly Translator[] = Object.values(byKind);

function translator<S extends z.ZodType>(
  kind: CompanionKind<S>,
  translate: (spec: z.output<S>, circumstances: TranslationInputs) => Translation,
): Translator {
  return {
    kind,
    translate(object, circumstances) {
      const parsed = parseCompanion(kind, object);
      if (!parsed.ok) return { kind: "refused", reason: "SpecInvalid", message: parsed.problems.join("; ") };
      return translate(parsed.spec, circumstances);
    },
  };
}

const wanted = (spec: Readonly<Record<string, unknown>>): Translation => ({
  kind: "wanted",
  spec: withoutGaps({ engine: "postgresql", ...spec }),
});

/** `highAvailability.enabled` says how many instances there may be, and that has been judged. */
function clusterToDatabase(spec: PostgreSQLClusterSpec): Translation {
  return wanted({
    version: spec.version,
    replicas: spec.instances,
    storage: spec.storage?.size,
    storageClass: spec.storage?.storageClass,
    backup: spec.backup,
    resources: spec.resources,
    highAvailability: { synchronousCommit: spec.highAvailability?.synchronousCommit },
  });
}

function sampleToDatabase(spec: SampleDBSpec, { catalogue, running }: TranslationInputs): Translation {
  const available = versionsOf(catalogue, "postgresql");
  const version = versionFor(spec.version, available, running);
  if (version === undefined) {
    const listed = available.length === 0 ? "it has none at all" : `available: ${available.join(", ")}`;
    const message = `the catalogue has no postgresql ${majorOf(spec.version)} for spec.version ${spec.version}; ${listed}`;
    return { kind: "refused", reason: "VersionUnavailable", message };
  }
  return wanted({ version, replicas: spec.replicas, backup: { schedule: spec.backupSchedule } });
}

/**
 * The version that `text` stands for: just that one where it is available, else the highest of its major version. What runs
 * is not left for a lower one that the user did not name. Undefined where there is none.
 */
export function versionFor(
  text: string,
  available: readonly string[],
  running: string | undefined,
): string | undefined {
  const [major = "", minor] = text.split(".");
  const exact = available.find((version) => minor !== undefined && compareVersions(version, `${major}.${minor}`) === 0);
  const candidates = [...available, ...(running === undefined ? [] : [running])].filter(
    (version) => Number(majorOf(version)) === Number(major),
  );
  return exact ?? candidates.sort((a, b) => compareVersions(b, a))[0];
}
