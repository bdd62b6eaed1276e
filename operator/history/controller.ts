// One turn of the queue for the history of one Database: makes what is missing, removes what is too much, and reports what came of it. Each write may
// be the last before a crash: what is left follows from what there is.
import { isDeepStrictEqual } from "node:util";
import type { DatabaseRevision } from "../api/revisions/object";
import type { RevisionStatus } from "../api/revisions/status";
import { placeOf, type Key } from "../domain/key";
import type { Observation } from "../domain/members";
import type { WrittenStatus } from "../domain/status-write";
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
  // what cannot be made now is tried again after growing pauses: it may be so of all Databases
  for (const revision of missing) if (!(await at.writes.create(revision))) return { kind: "retry" };
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
  const [newest, ...before] = own;
  if (newest === undefined) return;
  const observation = withMembersAlone(at.observe(key));
  // one that another followed before it was looked at knows of no members
  const known = before.map((revision) => written.latest(key, revision).status);
  const isAtWork = at.isAtWork(key);
  // what was found before says nothing of what is being done now
  const standing = isAtWork ? ({ kind: "unknown" } as const) : standingOf(at.outcome(key), observation);
  const look = {
    ...{ observation, now: at.now(), standing, isAtWork },
    former: leftBy(known.find(({ members }) => members !== undefined)),
  };
  await write(key, newest, (previous) => statusAfter(previous, newest.spec, look), { at, written });
  for (const [index, revision] of before.entries())
    await write(key, revision, (previous) => supersededBy(previous, (own[index] ?? newest).spec), { at, written });
}

/** Any pod may have a member's labels, and a name of any length; a StatefulSet counts its own. */
const withMembersAlone = (observation: Observation): Observation => ({
  ...observation,
  members: observation.members.filter(
    ({ name, database }) => name.startsWith(`${database}-`) && /^\d{1,3}$/.test(name.slice(database.length + 1)),
  ),
});

async function write(
  key: Key,
  revision: DatabaseRevision,
  after: (previous: RevisionStatus) => RevisionStatus,
  { at, written }: Reporting,
): Promise<void> {
  const { status, version: resourceVersion } = written.latest(key, revision);
  const known = { ...revision, metadata: { ...revision.metadata, resourceVersion }, status };
  if (isDeepStrictEqual(defined(after(known.status)), defined(known.status))) return;
  const result = await at.writes.writeStatus(known, (previous) => defined(after(previous)));
  if (result !== undefined) written.note(key, revision, result);
}

/** Without fields that say nothing: the API server has none of them. */
const defined = (status: RevisionStatus): RevisionStatus =>
  Object.fromEntries(Object.entries(status).filter(([, value]: readonly [string, unknown]) => value !== undefined));

/** Statuses that were written and that the watch may not show yet: an incident would be told twice. */
class WrittenStatuses {
  readonly #of = new Map<Key, Map<string, WrittenStatus<RevisionStatus>>>();

  latest(key: Key, { metadata, status }: DatabaseRevision): WrittenStatus<RevisionStatus> {
    const written = this.#of.get(key)?.get(metadata.uid);
    if (written !== undefined && isOlder(metadata.resourceVersion, written.version)) return written;
    return { version: metadata.resourceVersion, status };
  }

  /** Of the last few alone: to others nothing is written. */
  note(key: Key, { metadata }: DatabaseRevision, written: WrittenStatus<RevisionStatus>): void {
    const before = [...(this.#of.get(key) ?? [])].filter(([uid]) => uid !== metadata.uid).slice(-mostRemembered);
    this.#of.set(key, new Map([...before, [metadata.uid, written]]));
  }

  forget(key: Key): void {
    this.#of.delete(key);
  }
}

/** The newest, and those that it supersedes. */
const mostRemembered = 3;
