// One turn of the queue for the history of one Database: makes what is missing, removes what is too much, and reports what came of it. Each write may
// be the last before a crash: what is left follows from what there is.
import { isDeepStrictEqual } from "node:util";
import type { DatabaseRevision } from "../api/revisions/object";
import type { RevisionStatus } from "../api/revisions/status";
import { placeOf, type Key } from "../domain/key";
import { isOlder } from "../objects/resource-version";
import type { Next } from "../queue/queue";
import { missingOf, ownOf, surplusOf } from "./decide";
import type { HistoryPorts, NewRevision } from "./ports";
import { standingOf } from "./standing";
import { leftBy, statusAfter, supersededBy } from "./status";

export interface HistoryHooks {
  /** Notified of errors that have no name. */
  readonly onError: (database: Key, error: unknown) => void;
}

/** How soon to try again what cannot be made now, in milliseconds. */
const againMs = 30_000;

export type HistoryWork = (database: Key) => Promise<Next>;

export function createHistoryController(at: HistoryPorts, hooks: HistoryHooks): HistoryWork {
  const written = new WrittenStatuses();
  return async (key) => {
    try {
      return await turn(key, at, written);
    } catch (error) {
      hooks.onError(key, error);
      return { kind: "retry" };
    }
  };
}

async function turn(key: Key, at: HistoryPorts, written: WrittenStatuses): Promise<Next> {
  const known = knownOf(key, at);
  if (known === undefined) {
    if (at.database(key) === undefined) written.forget(key);
    return { kind: "forget" };
  }
  const { own, missing } = known;
  for (const revision of missing) if (!(await at.writes.create(revision))) return { kind: "again", afterMs: againMs };
  for (const revision of surplusOf(own)) await at.writes.remove(revision);
  // the watch reports what was made just now
  if (missing.length === 0) await report(key, own, { at, written });
  return { kind: "forget" };
}

interface Known {
  readonly own: readonly DatabaseRevision[];
  readonly missing: readonly NewRevision[];
}

/** Undefined before it is known what has been made, and of what it has been made; what is deleted takes its history along. */
function knownOf(key: Key, at: HistoryPorts): Known | undefined {
  const [found, record, metadata] = [at.revisions(key), at.record(key), at.database(key)?.metadata];
  if (found === undefined || record === undefined || metadata === undefined) return undefined;
  const { uid, deletionTimestamp } = metadata;
  if (record.uid !== uid || deletionTimestamp !== undefined) return undefined;
  const own = ownOf(found, uid);
  return { own, missing: missingOf(record.history, own, { ...placeOf(key), uid }) };
}

interface Reporting {
  readonly at: HistoryPorts;
  readonly written: WrittenStatuses;
}

async function report(key: Key, own: readonly DatabaseRevision[], { at, written }: Reporting): Promise<void> {
  const [newest, former] = own;
  if (newest === undefined) return;
  const observation = at.observe(key);
  const look = {
    ...{ observation, now: at.now(), standing: standingOf(at.outcome(key), observation) },
    former: leftBy(former && written.latest(key, former)),
  };
  await write(key, newest, (previous) => statusAfter(previous, newest.spec, look), { at, written });
  if (former !== undefined)
    await write(key, former, (previous) => supersededBy(previous, newest.spec), { at, written });
}

async function write(
  key: Key,
  revision: DatabaseRevision,
  after: (previous: RevisionStatus) => RevisionStatus,
  { at, written }: Reporting,
): Promise<void> {
  const known = { ...revision, status: written.latest(key, revision) };
  if (isDeepStrictEqual(defined(after(known.status)), defined(known.status))) return;
  const result = await at.writes.writeStatus(known, (previous) => defined(after(previous)));
  if (result !== undefined) written.note(key, revision, result);
}

/** Without fields that say nothing: the API server has none of them. */
const defined = (status: RevisionStatus): RevisionStatus =>
  Object.fromEntries(Object.entries(status).filter(([, value]: readonly [string, unknown]) => value !== undefined));

/** Statuses that were written and that the watch may not show yet: an incident would be told twice. */
class WrittenStatuses {
  readonly #of = new Map<Key, Map<string, { readonly version: string; readonly status: RevisionStatus }>>();

  latest(key: Key, { metadata, status }: DatabaseRevision): RevisionStatus {
    const written = this.#of.get(key)?.get(metadata.uid);
    return written !== undefined && isOlder(metadata.resourceVersion, written.version) ? written.status : status;
  }

  /** Of the newest two alone: nothing is written to others. */
  note(
    key: Key,
    { metadata }: DatabaseRevision,
    written: { readonly version: string; readonly status: RevisionStatus },
  ): void {
    const before = [...(this.#of.get(key) ?? [])].filter(([uid]) => uid !== metadata.uid).slice(-1);
    this.#of.set(key, new Map([...before, [metadata.uid, written]]));
  }

  forget(key: Key): void {
    this.#of.delete(key);
  }
}
