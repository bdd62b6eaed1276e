// By what changes are approved: annotations of a Database, which the API server judges, and the right to write them.
import { keyPrefix } from "./resources";

export const approvalKeys = {
  /** The digest of the plan that is approved. */
  approve: `${keyPrefix}/approve`,
  /** The same, and windows do not matter. */
  now: `${keyPrefix}/approve-now`,
  /** Who approved. */
  by: `${keyPrefix}/approved-by`,
  /** Who changed the spec last: the UID of the Database, which a manifest that brings this along cannot know, the generation that came of it, and the user. */
  changedBy: `${keyPrefix}/changed-by`,
} as const;

/** The verb on Databases that an approval needs. */
export const approvalVerb = "approve";

/** How long a plan can be approved, in days. */
export const approvalDays = 30;
