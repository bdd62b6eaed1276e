// Restore drills: what is known of the Job of one.
import type { VerificationReport } from "../../contract/verification-report";
import type { JobRun } from "./members";

/** The component of Jobs that restore a backup to look whether it is any good, as the label of a child says it. */
export const drillComponent = "verification";

/** A drill that has ended, and said how. */
export interface Drill {
  readonly job: string;
  /** RFC 3339. */
  readonly finishedAt: string;
  readonly report: VerificationReport;
}

/** Those that have ended and said how, the latest first. */
export function drillsIn(jobs: readonly JobRun[]): Drill[] {
  return jobs
    .flatMap(({ name: job, component, finishedAt, verification: report }) =>
      component === drillComponent && finishedAt !== undefined && report !== undefined
        ? [{ job, finishedAt, report }]
        : [],
    )
    .sort((one, other) => Date.parse(other.finishedAt) - Date.parse(one.finishedAt));
}
