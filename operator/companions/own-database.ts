// Sees to it that a companion's Database is as the companion asks, and touches none that it does not own.
import { apiVersionOf } from "../api/companions/kind";
import { API_VERSION } from "../api/crd";
import { metadataOf } from "../api/object";
import { statusOf } from "../api/stored-status";
import { companionFieldManager } from "../../components/naming";
import { canonical } from "../objects/json";
import { settled, stalled, gone, waiting, type Outcome } from "../domain/outcome";
import { partsOf, type CompanionKey, type CompanionPorts, type DatabaseBody } from "./ports";
import type { Recollection } from "./recollection";
import type { Translator } from "./translation";
import { isAsWritten, ownersOf, type Owner } from "./written";
import { databaseResource } from "../../contract/resources";
import { withPlainRemark } from "../objects/unchecked-rules";

/** What came of a look at a companion. */
export interface Found {
  readonly outcome: Outcome;
  /** The Database; undefined where there is none that the companion owns. */
  readonly database: unknown;
  /** Of what the API server refused: whether it may take it later. */
  readonly mayBeGranted?: boolean;
}

/** One look. */
export interface Look {
  readonly key: CompanionKey;
  readonly object: unknown;
  readonly translator: Translator;
  readonly at: CompanionPorts;
  readonly recollection: Recollection;
}

/** How soon to look again at a Database that is being deleted or written by others, in milliseconds; its watch reports earlier. */
const goingMs = 30_000;
const contendedMs = 1000;

/** See the header. `settled`: the Database is as asked. Rejects for what has no name. */
export async function ownDatabase(look: Look): Promise<Found> {
  const { key, object, at, recollection } = look;
  const metadata = metadataOf(object);
  const copy = recollection.latest(key, at.database(partsOf(key).database));
  if (metadata.deletionTimestamp !== undefined) {
    // garbage collection takes the Database, or leaves it, as the deletion asks
    return { outcome: settled(), database: isOwned(copy, metadata.uid) ? copy : undefined };
  }
  const database = copy ?? (await at.writes.find(metadata));
  if (database !== undefined && metadataOf(database).deletionTimestamp !== undefined) {
    const outcome = waiting("Deleting", "the Database is being deleted; it is recreated when it is gone", goingMs);
    return { outcome, database: isOwned(database, metadata.uid) ? database : undefined };
  }
  if (database !== undefined && !isOwned(database, metadata.uid)) {
    return { outcome: stalled("NameConflict", conflictWith(database, look)), database: undefined };
  }
  return asAsked(look, database);
}

const isOwned = (database: unknown, uid: string): boolean => ownersOf(database).some((owner) => owner.uid === uid);

function conflictWith(database: unknown, { object, translator }: Look): string {
  const { name } = metadataOf(object);
  const owner = ownersOf(database).find(({ controller }) => controller);
  const whose = owner === undefined ? "was not created by" : `belongs to ${owner.kind} ${owner.name}, not to`;
  return `Database ${name} ${whose} this ${translator.kind.kind}, and is left unchanged; delete it, or choose another name`;
}

/** `database` is the companion's own, or there is none. */
async function asAsked(look: Look, database: unknown): Promise<Found> {
  const { object, translator, at } = look;
  const running = statusOf(database).version;
  const translation = translator.translate(object, { catalogue: at.catalogue, running });
  if (translation.kind === "refused") return { outcome: stalled(translation.reason, translation.message), database };
  const owner = ownerFor(look);
  const { spec } = translation;
  if (database !== undefined && isAsWritten(database, { spec, owner }, companionFieldManager))
    return { outcome: settled(), database };
  return write(look, { spec, owner }, database);
}

function ownerFor({ object, translator: { kind } }: Look): Owner & { readonly blockOwnerDeletion: true } {
  const { name, uid } = metadataOf(object);
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

interface WantedDatabase {
  readonly spec: unknown;
  readonly owner: Owner;
}

async function write(look: Look, { spec, owner }: WantedDatabase, database: unknown): Promise<Found> {
  const { key, object, recollection } = look;
  const { namespace, name } = metadataOf(object);
  const former = database === undefined ? undefined : metadataOf(database);
  const metadata = { namespace, name, ...(former && { uid: former.uid }), ownerReferences: [owner] };
  const body: DatabaseBody = { apiVersion: API_VERSION, kind: databaseResource.kind, metadata, spec };
  // what is judged beside the wish: rules compare it with the spec there is, and with the version that runs
  const asked = canonical({ body, generation: former?.generation, running: statusOf(database).version });
  const refusal = recollection.refusalOf(key, asked);
  if (refusal !== undefined) return { outcome: stalled("DatabaseRefused", refusal), database };
  return send(look, body, { asked, database });
}

async function send(
  { key, at, recollection }: Look,
  body: DatabaseBody,
  { asked, database }: { readonly asked: string; readonly database: unknown },
): Promise<Found> {
  const applied = await at.writes.apply(body);
  switch (applied.kind) {
    case "done":
      recollection.wrote(key, applied.database);
      return { outcome: settled(), database: applied.database };
    case "refused": {
      const message = withPlainRemark(applied.message);
      if (applied.lasting) recollection.refused(key, { asked, message });
      return { outcome: stalled("DatabaseRefused", message), database, mayBeGranted: !applied.lasting };
    }
    case "contended":
      return { outcome: waiting("Updating", "another client writes the Database, too", contendedMs), database };
    case "gone":
      return { outcome: gone(), database };
  }
}
