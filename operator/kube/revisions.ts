// DatabaseRevisions as the watch shows them, by Database.
import { parseRevision, type DatabaseRevision } from "../api/revisions/object";
import type { Key } from "../domain/key";
import { OwnedWatch, type Belonging, type OwnedWatchOptions } from "./owned-watch";
import { resources } from "./paths";

export interface RevisionWatchOptions extends Pick<
  OwnedWatchOptions<DatabaseRevision>,
  "client" | "scopes" | "onProblem"
> {
  /** A DatabaseRevision of this Database, or of the name of one, came, went or changed. */
  readonly onChange: (database: Key) => void;
}

/** See the header. */
export class RevisionWatch extends OwnedWatch<DatabaseRevision> {
  constructor(options: RevisionWatchOptions) {
    super({ ...options, resource: resources.databaseRevisions, parse: belongingOf });
  }
}

/** What it says of the change is not looked at again: of a thousand Databases it would be much. */
function belongingOf(text: unknown): Belonging<DatabaseRevision> | undefined {
  const found = parseRevision(text);
  if (found === undefined) return undefined;
  const { metadata, spec } = found;
  const object = { ...found, spec: { ...spec, template: undefined, changes: [] } };
  return { namespace: metadata.namespace, database: spec.database, name: metadata.name, object };
}
