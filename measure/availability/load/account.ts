// What the clients of a try saw: how long no client got an acknowledgement, and which acknowledged rows are missing.

/**
 * What became of a statement. `refused`: the server said no. `unknown`: no answer within the time limit, or the connection
 * broke; the row may be there or not, and counts neither as acknowledged nor as lost.
 */
export type Outcome = "acknowledged" | "refused" | "unknown";

/** One row that a client sent. Times are milliseconds of one clock. */
export interface Attempt {
  readonly client: number;
  readonly number: number;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
}

/** Milliseconds of the same clock. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * The longest time without an acknowledgement that reaches into the window: from the last one before it, up to its end
 * where no more came. `times` in any order.
 */
export function longestGap(times: readonly number[], { from, to }: Window): number {
  const inside = times.filter((time) => time > from && time <= to).sort((left, right) => left - right);
  let last = times
    .filter((time) => time <= from)
    .reduce((left, right) => Math.max(left, right), Number.NEGATIVE_INFINITY);
  if (last === Number.NEGATIVE_INFINITY) last = from;
  let longest = 0;
  for (const time of [...inside, to]) {
    longest = Math.max(longest, time - last);
    last = time;
  }
  return longest;
}

/** The outage of a try: between two successive acknowledgements over all clients, and for the client that it hit worst. */
export interface Outage {
  readonly overallMs: number;
  readonly worstClientMs: number;
}

export function outageOf(attempts: readonly Attempt[], window: Window): Outage {
  const acknowledged = attempts.filter(({ outcome }) => outcome === "acknowledged");
  const gapOf = (some: readonly Attempt[]): number =>
    longestGap(
      some.map(({ endedAt }) => endedAt),
      window,
    );
  const clients = [...new Set(attempts.map(({ client }) => client))];
  const ofClients = clients.map((client) => gapOf(acknowledged.filter((attempt) => attempt.client === client)));
  return { overallMs: gapOf(acknowledged), worstClientMs: Math.max(0, ...ofClients) };
}

/** A row as a member has it. */
export type Row = readonly [client: number, number: number];

export interface Account {
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  /** Acknowledged, and missing on at least one member. */
  readonly lost: number;
  /** Unknown, and found on at least one member. */
  readonly unknownFound: number;
  /** Found on a member, though no client sent them, or refused, though found: either would be a fault of the measurement. */
  readonly impossible: number;
}

/** Compares what was sent with the rows of each member. Throws where there is no member to compare with. */
export function accountOf(attempts: readonly Attempt[], members: readonly (readonly Row[])[]): Account {
  if (members.length === 0) throw new Error("there is no member whose rows could be counted");
  const found = members.map((rows) => new Set(rows.map(keyOf)));
  const isOnAll = (key: string): boolean => found.every((rows) => rows.has(key));
  const isOnAny = (key: string): boolean => found.some((rows) => rows.has(key));
  const keysOf = (wanted: Outcome): string[] =>
    attempts.filter(({ outcome }) => outcome === wanted).map(({ client, number }) => keyOf([client, number]));
  const [acknowledged, refused, unknown] = [keysOf("acknowledged"), keysOf("refused"), keysOf("unknown")];
  const sent = new Set([...acknowledged, ...unknown]);
  const present = new Set(found.flatMap((rows) => [...rows]));
  return {
    acknowledged: acknowledged.length,
    refused: refused.length,
    unknown: unknown.length,
    lost: acknowledged.filter((key) => !isOnAll(key)).length,
    unknownFound: unknown.filter(isOnAny).length,
    impossible: [...present].filter((key) => !sent.has(key)).length,
  };
}

const keyOf = ([client, number]: Row): string => `${client}/${number}`;
