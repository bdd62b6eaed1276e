// By what changes are approved: annotations of a Database, which the API server judges, and the right to write them.
import { keyPrefix } from "./resources";

export const approvalKeys = {
  /** The digest of the plan that is approved. */
  approve: `${keyPrefix}/approve`,
  /** The same, and windows do not matter. */
  now: `${keyPrefix}/approve-now`,
  /** Who approved. */
  by: `${keyPrefix}/approved-by`,
  /** Who changed the spec last: the generation that came of it, a space, and the user. */
  changedBy: `${keyPrefix}/changed-by`,
} as const;

/** The verb on Databases that an approval needs. */
export const approvalVerb = "approve";

/** How long a plan can be approved, in days. */
export const approvalDays = 30;

/** What the user names of ServiceAccounts begin with; their namespace and a colon follow. */
export const accountPrefix = "system:serviceaccount:";
