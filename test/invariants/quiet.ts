// Once everything is at rest, the operator writes nothing that nobody caused.
import { possibleChildren } from "./model";
import {
  keyOf,
  operatorNamespace,
  type AuditedWrite,
  type Invariant,
  type Key,
  type WatchedDatabase,
} from "./snapshot";
import { standingOf } from "./standing";

export const quiet: Invariant = {
  name: "quiet",
  promise: "where everything is at rest, the operator writes nothing that nobody caused",
  judge: ({ writes, watched, operatorUser, operator }) => {
    if (writes === undefined || watched === undefined) return undefined;
    const at = {
      rests: spansOf(watched, isAtRest),
      works: spansOf(watched, isAtWork),
      causes: writes
        .filter((write) => write.user !== operatorUser && isCause(write))
        .flatMap((write) => [write, ...noticedAgain(write, operator?.starts ?? [])]),
    };
    const own = writes.filter((write) => write.user === operatorUser && succeeded(write));
    return summaries(own.filter((write) => isUnexplained(write, at)));
  },
};

/** A time, in milliseconds since 1970, during which something was so of a Database. */
interface Span {
  readonly key: Key;
  readonly from: number;
  to: number;
}

/** Right after it came to rest, an event may still be written; what is caused may wait for what is at work. */
const patienceMs = { rest: 3000, near: 60_000, far: 120_000, busy: 15_000 };

/** The times during which versions for which `holds` followed each other. */
function spansOf(watched: readonly WatchedDatabase[], holds: (event: WatchedDatabase) => boolean): Span[] {
  const open = new Map<Key, Span>();
  const spans: Span[] = [];
  for (const event of watched) {
    const key = keyOf(event.database);
    const current = open.get(key);
    if (!holds(event)) {
      if (current !== undefined) current.to = event.at;
      open.delete(key);
    } else if (current === undefined) {
      const span = { key, from: event.at, to: Number.POSITIVE_INFINITY };
      open.set(key, span);
      spans.push(span);
    }
  }
  return spans;
}

const isAtRest = ({ database, deleted }: WatchedDatabase): boolean => !deleted && standingOf(database) !== "underWay";
const isAtWork = ({ database, deleted }: WatchedDatabase): boolean => !deleted && standingOf(database) === "underWay";

/** What happened while no operator ran, or while one was about to stop, is noticed by the next one. */
function noticedAgain(cause: AuditedWrite, starts: readonly number[]): AuditedWrite[] {
  const next = starts.find((start) => start > cause.at);
  return next === undefined ? [] : [{ ...cause, at: next }];
}

interface Circumstances {
  readonly rests: readonly Span[];
  readonly works: readonly Span[];
  readonly causes: readonly AuditedWrite[];
}

function isUnexplained(write: AuditedWrite, { rests, works, causes }: Circumstances): boolean {
  const { at, namespace } = write;
  const rested = rests.some(({ key, from, to }) => concerns(write, key) && at > from + patienceMs.rest && at < to);
  // a worker that is busy with another Database keeps this one waiting, whatever the cause was and whenever
  const isBusy = works.some(({ key, from, to }) => !concerns(write, key) && from < at && to > at - patienceMs.busy);
  if (!rested || isBusy) return false;
  return !causes.some((cause) => {
    const isHere = cause.namespace === namespace;
    const isNear = isHere || cause.namespace === "" || cause.namespace === operatorNamespace;
    return isNear && cause.at <= at && cause.at > at - (isHere ? patienceMs.near : patienceMs.far);
  });
}

/**
 * Whether a write is about a Database: itself or a child of it. Events are left out: the log does not tell what they are
 * about; they come with a write of the status, which counts, and `events` judges how many there are.
 */
function concerns({ namespace, name, resource }: AuditedWrite, key: Key): boolean {
  const [at = "", database = ""] = key.split("/");
  if (namespace !== at) return false;
  if (resource === "databases") return name === database;
  if (resource === "events") return false;
  return possibleChildren(database).some((child) => child.name === name);
}

/** Leases and node heartbeats come by themselves, and events follow what caused them. */
const isCause = ({ resource, name }: AuditedWrite): boolean =>
  !["leases", "events", "nodes"].includes(resource) && !(resource === "configmaps" && name.endsWith("-leader"));

const succeeded = ({ code }: AuditedWrite): boolean => code < 400;

function summaries(writes: readonly AuditedWrite[]): string[] {
  const counts = new Map<string, number>();
  for (const { verb, resource, subresource, namespace, name } of writes) {
    const what = `${verb} of ${resource}${subresource && `/${subresource}`} ${namespace}/${name}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${what}, ${count === 1 ? "once" : `${count} times`}, at rest`);
}
