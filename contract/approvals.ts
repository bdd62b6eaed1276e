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

/** Sentences, or parts of them, by which the API server refuses an approval: who wrote it is told by them what is wrong. */
export const approvalRefusals = {
  noRight: `an approval needs the verb ${approvalVerb} on`,
  unnamed: "an approval names who approves",
  /** The digest of the plan that waits follows. */
  moved: "must be the digest of the plan that waits, ",
  none: "no change of this Database waits for approval",
  author: "asked for this change: another person must approve it",
} as const;

/** How long a plan can be approved, in days. */
export const approvalDays = 30;
