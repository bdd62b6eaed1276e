// What a server of MongoDB's protocol, and its programs, say of a backup in a drill. Pure.
import { MongoServerError } from "mongodb";
import type { DrillFinding } from "../../../contract/verification-report";
import { RunFailed } from "../../supervise/run";
import { ServerEnded } from "../../supervise/while-it-runs";
import { NotAllArrived } from "../restore/load";

/** What it means that a backup could not be loaded, or is not what arrived: what was killed, or did not answer, says nothing. */
export function loadFindingOf(error: unknown): DrillFinding {
  if (error instanceof NotAllArrived) return "DataDamaged";
  if (error instanceof RunFailed) return error.code === null ? "Interrupted" : "RestoreNotStarted";
  if (error instanceof ServerEnded)
    return error.signal === "SIGKILL" || error.signal === "SIGTERM" ? "Interrupted" : "RestoreNotStarted";
  return error instanceof MongoServerError ? "RestoreNotStarted" : "Interrupted";
}

/** What may be said of it: what the server refuses may quote what is in the data. */
export const toldOf = (error: unknown): unknown =>
  error instanceof MongoServerError
    ? new MongoServerError({
        message: `the server refused with code ${error.code ?? "?"}; the log of the drill has the error`,
      })
    : error;
