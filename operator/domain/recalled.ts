// What the cluster shows of a Database of which no record is left.
import type { DatabaseSpec } from "../api/spec";
import type { Revision, Whole } from "./records";

export interface Recalled {
  /** The newest change that was carried out. */
  readonly revision: Pick<Revision, "revision" | "at" | "seconds" | "summary" | "by" | "generation">;
  /** What it was. */
  readonly spec: DatabaseSpec;
  readonly image: string;
  /** By which release of the operator the members' pods were declared; undefined where that is not known. */
  readonly release: string | undefined;
  /** The template of the members' pods, as it is now. */
  readonly template: Whole["template"];
}
