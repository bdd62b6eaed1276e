// All Databases that a person may see, those first that need them. Pure.
import type { SeenPending } from "../../objects/pending";
import { isApproved, waitsForApproval } from "../../objects/pending";
import { standingOf, type Standing } from "../../status/standing";
import type { Found } from "./read";

/** One line. */
export interface FleetRow {
  readonly standing: Standing;
  readonly pending: SeenPending | undefined;
  /** Whether a change waits of which the console cannot read what it is. */
  readonly isPendingUnread: boolean;
  /** Whether it waits for a person. */
  readonly needsPerson: boolean;
}

/** What is shown of them. */
export interface Fleet {
  readonly rows: readonly FleetRow[];
  /** How many there are, before what is looked for. */
  readonly total: number;
  /** How many of all need a person. */
  readonly needing: number;
  /** How many fit and are not shown. */
  readonly left: number;
}

/** How many lines a page has. */
const most = 500;

/** `wanted`: a part of the name, namespace, engine or state; empty: all. */
export function fleetOf(found: readonly Found[], wanted: string): Fleet {
  const all = found.map(rowOf).sort(byNeed);
  const fitting = all.filter((row) => fits(row, wanted.trim().toLowerCase()));
  return {
    rows: fitting.slice(0, most),
    total: all.length,
    needing: all.filter(({ needsPerson }) => needsPerson).length,
    left: Math.max(0, fitting.length - most),
  };
}

const troubled: readonly Standing["state"][] = ["NOT READY", "STALLED", "DEGRADED"];

function rowOf({ database }: Found): FleetRow {
  const { pending, isPendingUnread } = database;
  const standing = standingOf(database);
  const awaitsApproval = pending !== undefined && waitsForApproval(pending) && !isApproved(pending);
  const needsPerson = troubled.includes(standing.state) || awaitsApproval || isPendingUnread;
  return { standing, pending, isPendingUnread, needsPerson };
}

function fits({ standing }: FleetRow, wanted: string): boolean {
  const { namespace, name, engine, version, state } = standing;
  return `${namespace}/${name} ${engine} ${version} ${state}`.toLowerCase().includes(wanted);
}

/** What serves no more, what waits for a correction, what is not well; then what waits for an approval. */
const rankOf = ({ standing, needsPerson }: FleetRow): number => {
  const rank = troubled.indexOf(standing.state);
  if (rank >= 0) return rank;
  return needsPerson ? troubled.length : troubled.length + 1;
};

const placeOf = ({ standing: { namespace, name } }: FleetRow): string => `${namespace}/${name}`;

function byNeed(a: FleetRow, b: FleetRow): number {
  return rankOf(a) - rankOf(b) || (placeOf(a) < placeOf(b) ? -1 : 1);
}
