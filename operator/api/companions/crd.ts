// The CustomResourceDefinition of a companion, built from its zod schema; and the list of all companions.
import type { companionResources } from "../../../contract/resources";
import { crdOf, objectSchema, wideColumn, type Column, type CustomResourceDefinition } from "../crd";
import { schemaOf, structural, type Schema } from "../schema";
import { apiVersionOf, CompanionStatus, type CompanionKind } from "./kind";
import { postgreSQLCluster } from "./postgresql-cluster";
import { sampleDB } from "./sample-db";

const kinds: Readonly<Record<keyof typeof companionResources, CompanionKind>> = { postgreSQLCluster, sampleDB };

/** Every kind that is translated to a Database. */
export const companionKinds: readonly CompanionKind[] = Object.values(kinds);

const SHARED_COLUMNS: readonly Column[] = [
  { name: "Ready", type: "boolean", jsonPath: ".status.ready", description: "Whether the database is ready." },
  wideColumn("Phase", "phase", "Where it is in its life cycle."),
  wideColumn("Running", "version", "The version that runs."),
  wideColumn("Primary", "primary", "The pod for writes."),
  wideColumn("Endpoint", "endpoint", "Host and port."),
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "When it was created." },
];

/** The schema of a whole object of the kind, as the API server gets it. */
export const companionSchema = (companion: CompanionKind): Schema =>
  objectSchema({
    ...companion,
    apiVersion: apiVersionOf(companion),
    spec: structural(schemaOf(companion.spec)),
    status: CompanionStatus,
  });

/** Builds the CRD; equal for equal schemas. */
export function companionCrd(companion: CompanionKind): CustomResourceDefinition {
  const { version: name, columns, replicasPath } = companion;
  const schema = companionSchema(companion);
  return crdOf(companion, [{ name, columns: [...columns, ...SHARED_COLUMNS], replicasPath, schema }]);
}
