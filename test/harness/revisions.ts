// The history of a Database, as its people read it.
import assert from "node:assert/strict";
import { revisionResource } from "../../contract/resources";
import { parseRevision, type DatabaseRevision } from "../../operator/api/revisions/object";
import { readDatabase } from "./database";
import { eventually, type Patience } from "./eventually";
import type { Kubectl } from "./kubectl";

type Place = readonly [namespace: string, name: string];

/** The newest first. */
export async function recordedRevisions(kubectl: Kubectl, [namespace, name]: Place): Promise<DatabaseRevision[]> {
  const objects = await kubectl.list(`${revisionResource.plural}.${revisionResource.group}`, { namespace });
  return objects
    .flatMap((object) => parseRevision(object) ?? [])
    .filter(({ spec }) => spec.database === name)
    .sort((a, b) => b.spec.revision - a.spec.revision);
}

/** Once the newest change of the Database is on record as complete: then nothing more is written of it. */
export async function untilRecorded(kubectl: Kubectl, place: Place, patience?: Patience): Promise<DatabaseRevision> {
  const [namespace, name] = place;
  return eventually(async () => {
    const { status } = await readDatabase(kubectl, name, namespace);
    const [newest] = await recordedRevisions(kubectl, place);
    assert.ok(newest, "there is no revision");
    assert.deepEqual([newest.spec.revision, newest.status.result], [status.lastChange?.revision, "Complete"]);
    return newest;
  }, patience);
}
