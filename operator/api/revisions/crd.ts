// The CustomResourceDefinition databaserevisions.example.com, built from the zod schemas of spec and status.
import { revisionResource, storedVersion } from "../../../contract/resources";
import type { Column, CustomResourceDefinition } from "../crd";
import { schemaOf, structural, type Schema } from "../schema";
import { revisionApiVersion } from "./object";
import { RevisionSpec } from "./spec";
import { RevisionStatus } from "./status";

const text = (name: string, jsonPath: string, description: string, priority?: 1): Column => ({
  ...{ name, type: "string", jsonPath, description },
  ...(priority !== undefined && { priority }),
});

const COLUMNS: readonly Column[] = [
  text("Database", ".spec.database", "The Database that was changed."),
  { name: "Revision", type: "integer", jsonPath: ".spec.revision", description: "Counts its changes." },
  text("Result", ".status.result", "What came of it."),
  text("Author", ".spec.author", "Who changed the spec."),
  text("Approver", ".spec.approval.by", "Who approved it."),
  {
    ...{ name: "Interruption", type: "integer", jsonPath: ".status.interruptionSeconds" },
    description: "Seconds without a primary until it was complete.",
  },
  {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    description: "How long ago it was carried out.",
  },
  text("Origin", ".spec.origin", "What asked for it.", 1),
  text("Manager", ".spec.manager", "The field manager that wrote the spec.", 1),
  text("Summary", ".spec.summary", "What its run did.", 1),
  text("Restarts", ".spec.restarts", "Why members restarted.", 1),
];

/** The schema of a whole DatabaseRevision, as the API server gets it. */
export function revisionSchema(): Schema {
  return {
    description: "A change of a Database that was carried out, and what came of it. The operator writes it.",
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string", description: `The version of the API: ${revisionApiVersion}.` },
      kind: { type: "string", description: `The kind of the object: ${revisionResource.kind}.` },
      metadata: { type: "object" },
      spec: structural(schemaOf(RevisionSpec)),
      status: structural(schemaOf(RevisionStatus)),
    },
  };
}

/** Builds the CRD; equal for equal schemas. */
export function revisionCrd(): CustomResourceDefinition {
  const { group, kind, plural } = revisionResource;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      // not of the category `all`: they are records of the past, twenty of each Database
      names: { plural, singular: "databaserevision", kind, listKind: `${kind}List`, shortNames: ["dbr"] },
      versions: [
        {
          name: storedVersion,
          served: true,
          storage: true,
          additionalPrinterColumns: COLUMNS,
          selectableFields: [{ jsonPath: ".spec.database" }],
          subresources: { status: {} },
          schema: { openAPIV3Schema: revisionSchema() },
        },
      ],
    },
  };
}
