// The CustomResourceDefinition databasebackups.example.com, built from the zod schemas of spec and status.
import { backupResource, storedVersion } from "../../../contract/resources";
import type { Column, CustomResourceDefinition } from "../crd";
import { schemaOf, structural, type Schema } from "../schema";
import { backupApiVersion, BackupSpec } from "./object";
import { BackupStatus } from "./status";

const COLUMNS: readonly Column[] = [
  { name: "Database", type: "string", jsonPath: ".spec.database", description: "The Database that it is of." },
  { name: "Phase", type: "string", jsonPath: ".status.phase", description: "Where it is." },
  { name: "Size", type: "string", jsonPath: ".status.sizeText", description: "Size of its files." },
  {
    name: "Duration",
    type: "integer",
    jsonPath: ".status.durationSeconds",
    description: "Seconds that the copy took.",
  },
  { name: "Completed", type: "date", jsonPath: ".status.completedAt", description: "How long ago it ended." },
  {
    name: "Verified",
    type: "date",
    jsonPath: ".status.verifiedAt",
    description: "How long ago a restore drill restored it.",
  },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "When it was created." },
  { name: "Trigger", type: "string", jsonPath: ".status.trigger", priority: 1, description: "What asked for it." },
  {
    name: "Version",
    type: "string",
    jsonPath: ".status.version",
    priority: 1,
    description: "The version of the server.",
  },
  { name: "Location", type: "string", jsonPath: ".status.location", priority: 1, description: "Where it lies." },
  {
    name: "Message",
    type: "string",
    jsonPath: ".status.message",
    priority: 1,
    description: "What it is, or why it waits or failed.",
  },
];

/** The schema of a whole DatabaseBackup, as the API server gets it. */
export function backupSchema(): Schema {
  return {
    description:
      "A backup of a Database that was taken or tried. To apply one takes a backup; to delete it deletes none.",
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string", description: `The version of the API: ${backupApiVersion}.` },
      kind: { type: "string", description: `The kind of the object: ${backupResource.kind}.` },
      metadata: { type: "object" },
      spec: structural(schemaOf(BackupSpec)),
      // before the operator has seen one, kstatus must not take it for finished
      status: { ...structural(schemaOf(BackupStatus)), default: { observedGeneration: -1 } },
    },
  };
}

/** Builds the CRD; equal for equal schemas. */
export function backupCrd(): CustomResourceDefinition {
  const { group, kind, plural } = backupResource;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        plural,
        singular: "databasebackup",
        kind,
        listKind: `${kind}List`,
        shortNames: ["dbb"],
        categories: ["all"],
      },
      versions: [
        {
          name: storedVersion,
          served: true,
          storage: true,
          additionalPrinterColumns: COLUMNS,
          selectableFields: [{ jsonPath: ".spec.database" }],
          subresources: { status: {} },
          schema: { openAPIV3Schema: backupSchema() },
        },
      ],
    },
  };
}
