// What a companion is: a kind of its own that is translated to a Database, which it owns.
import type { z } from "zod";
import type { Column } from "../crd";
import type { CelRule } from "../rules";
import { DatabaseStatus } from "../status";

/** A kind as its CRD, its reference and the operator know it. */
export interface CompanionKind<S extends z.ZodType = z.ZodType> {
  readonly group: string;
  readonly version: "v1";
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** What it is, in a sentence. */
  readonly description: string;
  /** What a person writes. */
  readonly spec: S;
  /** Where the number of members is, for `kubectl scale`; such as `.spec.replicas`. */
  readonly replicasPath: string;
  /** Rules over the whole object, beside those on its name. */
  readonly rules: readonly CelRule[];
  /** Columns of `kubectl get` that are not those of every companion. */
  readonly columns: readonly Column[];
  /** The smallest one, in YAML, below `metadata`. */
  readonly example: string;
}

/** `apiVersion` of a kind. */
export const apiVersionOf = ({ group, version }: Pick<CompanionKind, "group" | "version">): string =>
  `${group}/${version}`;

/** What is reported of a companion: the status of its Database, judged from the companion's own generation. */
export const CompanionStatus = DatabaseStatus.omit({ lastChange: true }).meta({
  description: "What the operator observed: the status of the Database of the same name. Only the operator writes it.",
});
export type CompanionStatus = z.infer<typeof CompanionStatus>;
