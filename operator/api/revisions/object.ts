// DatabaseRevision: how one is called, and how it is read.
import { z } from "zod";
import { revisionResource, storedVersion } from "../../../contract/resources";
import { RevisionSpec } from "./spec";
import { RevisionStatus } from "./status";

/** `apiVersion` of a DatabaseRevision. */
export const revisionApiVersion = `${revisionResource.group}/${storedVersion}`;

/** The same however often it is made, and no other Database's, nor a former one's of that name. */
export const revisionName = (database: string, uid: string, revision: number): string =>
  `${database}-${uid.slice(0, 8)}-${revision}`;

const Owner = z.object({ kind: z.string(), uid: z.string() });

const Metadata = z.object({
  name: z.string(),
  namespace: z.string(),
  uid: z.string().default(""),
  resourceVersion: z.string().default(""),
  creationTimestamp: z.string().default(""),
  deletionTimestamp: z.string().optional(),
  ownerReferences: z.array(Owner).default([]),
});

/** One as the API server returned it. */
export interface DatabaseRevision {
  readonly metadata: z.infer<typeof Metadata>;
  /** UID of the Database; empty where it has none for an owner. */
  readonly owner: string;
  readonly spec: RevisionSpec;
  /** As it was written last. */
  readonly status: RevisionStatus;
}

const Spec = RevisionSpec.extend({ template: z.looseObject({}).optional() });
const Whole = z.object({
  metadata: Metadata,
  spec: z.record(z.string(), z.unknown()),
  // one that was made just now has none
  status: z.unknown().optional(),
});
/** Without them it says nothing. */
const required: ReadonlySet<string> = new Set(["database", "revision", "at"]);

/** Undefined for one that says nothing of a change. Of one that a newer operator wrote, each part that cannot be read is left out by itself. */
export function parseRevision(object: unknown): DatabaseRevision | undefined {
  const whole = Whole.safeParse(object).data;
  if (whole === undefined) return undefined;
  const spec = specIn(whole.spec);
  if (spec === undefined) return undefined;
  const owner = whole.metadata.ownerReferences.find(({ kind }) => kind === "Database")?.uid ?? "";
  return { metadata: whole.metadata, owner, spec, status: revisionStatusIn(whole.status) };
}

const missing = { origin: "Spec", summary: "", runSeconds: 0, changes: [] } as const;

function specIn(stored: Readonly<Record<string, unknown>>): RevisionSpec | undefined {
  const parsed = Spec.safeParse(stored);
  if (parsed.success) return parsed.data;
  const unreadable = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  if ([...unreadable].some((field) => required.has(field))) return undefined;
  const readable = Object.entries(stored).filter(([field]) => !unreadable.has(field));
  return Spec.safeParse({ ...missing, ...Object.fromEntries(readable) }).data;
}

/** See `parseRevision`. */
export function revisionStatusIn(status: unknown): RevisionStatus {
  const stored = z.record(z.string(), z.unknown()).safeParse(status).data ?? {};
  const parsed = RevisionStatus.safeParse(stored);
  if (parsed.success) return parsed.data;
  const unreadable = new Set(parsed.error.issues.map(({ path }) => path[0]));
  const readable = Object.entries(stored).filter(([field]) => !unreadable.has(field));
  return RevisionStatus.safeParse(Object.fromEntries(readable)).data ?? {};
}
