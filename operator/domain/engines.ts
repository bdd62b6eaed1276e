// What is known of engines, and of what their members ask for, without running anything.
import type { Engine, DatabaseSpec } from "../api/spec";
import type { CatalogueEntry } from "../api/catalogue";

/** What is known of engines without running anything. */
export interface Engines {
  /** Why these parameters cannot be set, one line each. `entry`: of the version in the catalogue; without it the image is not judged. */
  parameterProblems(
    server: { readonly engine: Engine; readonly version: string },
    config: Readonly<Record<string, string>>,
    entry?: Pick<CatalogueEntry, "libraries">,
  ): readonly string[];
  /** Which of these parameters need more memory than a member of this spec may use, one line each. */
  memoryProblems(spec: DatabaseSpec, config: Readonly<Record<string, string>>): readonly string[];
  /** What lets a member lead: a lease, or the votes of more than half of the members. */
  electedBy(engine: Engine): "lease" | "majority";
  /** What the pod of a member asks for. */
  requestsOf(spec: DatabaseSpec): Requests;
}

/** What a pod asks for. */
export interface Requests {
  /** Processors. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}
