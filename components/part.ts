// What every part of a Database is created from.
import type * as pulumi from "@pulumi/pulumi";
import type { Engine } from "./engines/engine";
import type { Settings } from "./settings";

/** A part of a Database. */
export interface PartArgs {
  /** The database that it is a part of. */
  readonly settings: Settings;
  /** Decides what differs from engine to engine. */
  readonly engine: Engine;
  /** What must exist before a pod of this part starts. Default: nothing. */
  readonly after?: readonly pulumi.Resource[];
}
