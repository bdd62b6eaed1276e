// A Database as it was read, with all that is asked of it: each part is parsed at most once, when it is asked for first.
import { metadataOf, parseDatabase, type DatabaseMetadata, type ParsedDatabase } from "../api/object";
import { statusOf } from "../api/stored-status";
import { deletionPolicyOf, isPaused } from "../api/lifecycle";
import type { DeletionPolicy } from "../api/spec";
import type { DatabaseStatus } from "../api/status";
import { companionFieldManager } from "../../components/naming";
import { specWriterOf, withFieldsOf } from "../objects/managed-fields";

/** See the header. Two are deeply equal where the objects are. */
export class ObservedDatabase {
  /** As the API server sent it, but of `managedFields` only the companion's: with thousands, the others are a large part. It is not changed after it came. */
  readonly object: unknown;
  readonly metadata: DatabaseMetadata;
  /** The field manager that wrote the spec last; empty where unknown. */
  readonly writer: string;
  #parsed: ParsedDatabase | undefined;
  #status: DatabaseStatus | undefined;

  /** Throws a TypeError for what no API server returns. */
  constructor(object: unknown) {
    this.metadata = metadataOf(object);
    this.writer = specWriterOf(object) ?? "";
    this.object = withFieldsOf(object, companionFieldManager);
  }

  /** The spec with its defaults, or what is wrong with it. */
  get parsed(): ParsedDatabase {
    return (this.#parsed ??= parseDatabase(this.object));
  }

  /** As it was written last; see `statusOf`. */
  get status(): DatabaseStatus {
    return (this.#status ??= statusOf(this.object));
  }

  /** Of a spec that does not parse, too. */
  get deletionPolicy(): DeletionPolicy {
    return deletionPolicyOf(this.object);
  }

  /** Of a spec that does not parse, too. */
  get isPaused(): boolean {
    return isPaused(this.object);
  }
}
