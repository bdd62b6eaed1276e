// What the companions' controller needs of the world; kube provides it, tests hand in their own.
import type { Catalogue } from "../api/catalogue";
import type { CompanionKind, CompanionStatus } from "../api/companions/kind";
import type { DatabaseMetadata } from "../api/object";
import type { Place, Key } from "../domain/key";
import type { StatusWrite, WrittenStatus } from "../domain/status-write";

/** `namespace/name/plural` of a companion: of one name there may be several kinds. */
export type CompanionKey = string;

/** The key of a companion of a kind. */
export const companionKeyOf = (database: Key, { plural }: Pick<CompanionKind, "plural">): CompanionKey =>
  `${database}/${plural}`;

/** The parts of a key. */
export function partsOf(key: CompanionKey): { readonly database: Key; readonly plural: string } {
  const [namespace = "", name = "", plural = ""] = key.split("/");
  return { database: `${namespace}/${name}`, plural };
}

/** What became of a write of a Database. */
export type ApplyResult =
  | { readonly kind: "done"; readonly database: unknown }
  /** The API server does not take it, in its own words. `lasting`: it will not take it another time either. */
  | { readonly kind: "refused"; readonly message: string; readonly lasting: boolean }
  /** Another client wrote in between: look again. */
  | { readonly kind: "contended" }
  /** The namespace is on its way out. */
  | { readonly kind: "gone" };

/** Writes of companions: to their Databases, and to their own status. */
export interface CompanionWrites {
  /** The Database as the API server has it; undefined where there is none. */
  find(place: Place): Promise<unknown>;
  /** Applies a Database. With a uid in its metadata just that object; without one, it takes the fields of no other manager. */
  apply(database: DatabaseBody): Promise<ApplyResult>;
  /** Undefined where the companion is gone. */
  writeStatus(
    kind: CompanionKind,
    metadata: DatabaseMetadata,
    write: StatusWrite<CompanionStatus>,
  ): Promise<WrittenStatus<CompanionStatus> | undefined>;
  /** The companion is gone. */
  forget(kind: CompanionKind, place: Place): void;
}

/** What a companion applies. */
export interface DatabaseBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Place & { readonly uid?: string; readonly ownerReferences: readonly unknown[] };
  readonly spec: unknown;
}

/** Reads are from memory but for `writes.find`. */
export interface CompanionPorts {
  /** The companion as the API server sent it; undefined when there is none. */
  companion(key: CompanionKey): unknown;
  /** The Database as the API server sent it; undefined when there is none. */
  database(key: Key): unknown;
  readonly catalogue: Catalogue;
  readonly writes: CompanionWrites;
  readonly now: () => Date;
}
