// One turn of the queue for one companion: translate, write its Database where it differs, mirror its status.
import { isDeepStrictEqual } from "node:util";
import type { CompanionStatus } from "../api/companions/kind";
import { metadataOf } from "../api/object";
import { statusOf } from "../api/stored-status";
import type { DatabaseStatus } from "../api/status";
import { placeOf } from "../domain/key";
import type { Next } from "../queue/queue";
import { failed, type Outcome } from "../domain/outcome";
import { StatusMemory } from "../reconcile/status-memory";
import { ownDatabase, type Found } from "./own-database";
import { partsOf, type CompanionKey, type CompanionPorts } from "./ports";
import { Recollection } from "./recollection";
import { companionStatusFor } from "./status";
import { translators, type Translator } from "./translation";

export interface CompanionHooks {
  /** Notified of errors that have no name. */
  readonly onError: (key: CompanionKey, error: unknown) => void;
  readonly onOutcome: (key: CompanionKey, outcome: Outcome) => void;
}

/** How soon to look again at a copy of the past, or at what another client writes, in milliseconds. */
const againMs = 1000;

/** How soon to ask again for what was refused and may be granted later, in milliseconds. */
const refusedMs = 60_000;

/** The queue's worker. */
export type CompanionWork = (key: CompanionKey) => Promise<Next>;

export function createCompanionController(at: CompanionPorts, hooks: CompanionHooks): CompanionWork {
  const statuses = new StatusMemory();
  const recollection = new Recollection();
  const byPlural = new Map(translators.map((translator) => [translator.kind.plural, translator]));
  return async (key) => {
    const translator = byPlural.get(partsOf(key).plural);
    const object = at.companion(key);
    if (translator === undefined) return { kind: "forget" };
    if (object === undefined) {
      recollection.forget(key);
      statuses.miss(key);
      at.writes.forget(translator.kind, placeOf(key));
      return { kind: "forget" };
    }
    if (statuses.isPast(key, { metadata: metadataOf(object) })) return { kind: "again", afterMs: againMs };
    return turn(key, object, { at, translator, statuses, recollection, hooks });
  };
}

interface CompanionContext {
  readonly at: CompanionPorts;
  readonly translator: Translator;
  readonly statuses: StatusMemory;
  readonly recollection: Recollection;
  readonly hooks: CompanionHooks;
}

async function turn(key: CompanionKey, object: unknown, around: CompanionContext): Promise<Next> {
  const { at, hooks, translator, recollection } = around;
  const found = await ownDatabase({ key, object, translator, at, recollection }).catch((error: unknown): Found => {
    hooks.onError(key, error);
    const outcome = failed("InternalError", "an unexpected error; the operator's log has the details");
    return { outcome, database: at.database(partsOf(key).database) };
  });
  hooks.onOutcome(key, found.outcome);
  if (found.outcome.kind === "gone") return { kind: "forget" };
  try {
    await report(key, object, found, around);
  } catch (error) {
    hooks.onError(key, error);
    return { kind: "retry" };
  }
  return nextOf(found);
}

async function report(key: CompanionKey, object: unknown, found: Found, around: CompanionContext): Promise<void> {
  const { at, statuses, translator } = around;
  const metadata = metadataOf(object);
  const previous = statuses.latest(key, { metadata, status: statusOf(object) });
  const now = at.now();
  const statusAfter = (before: DatabaseStatus): CompanionStatus =>
    companionStatusFor({
      generation: metadata.generation,
      isGoing: metadata.deletionTimestamp !== undefined,
      ...found,
      previous: before,
      now,
    });
  if (isDeepStrictEqual(statusAfter(previous), previous)) return;
  const written = await at.writes.writeStatus(translator.kind, metadata, { previous, statusAfter });
  statuses.remember(key, metadata.uid, written);
}

function nextOf({ outcome, mayBeGranted }: Found): Next {
  switch (outcome.kind) {
    case "failed":
      return { kind: "retry" };
    case "waiting":
      return { kind: "again", afterMs: outcome.afterMs };
    case "stalled":
      return mayBeGranted ? { kind: "again", afterMs: refusedMs } : { kind: "forget" };
    case "settled":
    case "gone":
    case "due":
      return { kind: "forget" };
  }
}
