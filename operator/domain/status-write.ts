// A status on its way to the API server.
import type { DatabaseStatus } from "../api/status";

/** A status that copies from the one before it what has not changed, such as transition times. */
export interface StatusWrite<Status = DatabaseStatus> {
  /** The status before, as far as it is known. */
  readonly previous: DatabaseStatus;
  /** The status to write over another one. */
  readonly statusAfter: (previous: DatabaseStatus) => Status;
}

/** A status, and the resourceVersion of the object that has it. */
export interface WrittenStatus<Status = DatabaseStatus> {
  readonly version: string;
  readonly status: Status;
}
