// Times during which something was so, and how much of a time they leave.
import { keyOf, type AuditedWrite, type Key, type OperatorTraces, type WatchedDatabase } from "./snapshot";

/** In milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The times during which versions of each Database for which `holds` followed each other. */
export function spansOf(
  watched: readonly WatchedDatabase[],
  holds: (event: WatchedDatabase) => boolean,
): ReadonlyMap<Key, readonly Span[]> {
  const since = new Map<Key, number>();
  const spans = new Map<Key, Span[]>();
  const close = (key: Key, to: number): void => {
    const from = since.get(key);
    if (from === undefined) return;
    spans.set(key, [...(spans.get(key) ?? []), { from, to }]);
    since.delete(key);
  };
  for (const event of watched) {
    const key = keyOf(event.database);
    if (!holds(event)) close(key, event.at);
    else if (!since.has(key)) since.set(key, event.at);
  }
  for (const key of [...since.keys()]) close(key, Number.POSITIVE_INFINITY);
  return spans;
}

/** The times during which no operator worked: no process of one ran, or the one that led was silent and no other led yet. */
export function absencesOf(
  { starts, stops }: Pick<OperatorTraces, "starts" | "stops">,
  leases: readonly AuditedWrite[],
): readonly Span[] {
  return [...betweenProcesses(starts, stops), ...betweenLeaders(leases)];
}

function betweenProcesses(starts: readonly number[], stops: readonly number[]): Span[] {
  const changes = [...starts.map((at) => ({ at, by: 1 })), ...stops.map((at) => ({ at, by: -1 }))].sort(
    (one, other) => one.at - other.at || other.by - one.by,
  );
  const spans: Span[] = [];
  let alive = 0;
  let since = Number.NEGATIVE_INFINITY;
  for (const { at, by } of changes) {
    if (alive === 0 && by > 0) spans.push({ from: since, to: at });
    alive += by;
    if (alive === 0) since = at;
  }
  if (changes.length > 0 && alive === 0) spans.push({ from: since, to: Number.POSITIVE_INFINITY });
  return spans;
}

/** By who renews the Lease: each operator has a credential of its own. */
function betweenLeaders(leases: readonly AuditedWrite[]): Span[] {
  return leases.flatMap((lease, index) => {
    const before = leases[index - 1];
    return before === undefined || before.credential === lease.credential ? [] : [{ from: before.at, to: lease.at }];
  });
}

/** How much of a time, in milliseconds, no span covers. */
export function uncovered({ from, to }: Span, spans: readonly Span[]): number {
  let left = 0;
  let reached = from;
  for (const span of [...spans].sort((one, other) => one.from - other.from)) {
    if (span.to <= reached) continue;
    if (span.from >= to) break;
    left += Math.max(0, span.from - reached);
    reached = Math.min(to, span.to);
  }
  return left + Math.max(0, to - reached);
}
