// Whether the server of this image can have the files of a backup.
import type { Manifest } from "./manifest";

/** The temporary tablespace of a member, its first binary logs, and the small redo log of the server that takes the copy over. */
const besideBytes = 92 * 1024 ** 2;

/** What a member has at least. */
const leastRedo = 100 * 1024 ** 2;

/** The capacity of the redo log of the server that replays binary logs. */
export const replayRedoBytes = 128 * 1024 ** 2;

/** What a replay takes up beside what it changes. Missing: nothing is replayed. */
export interface ReplayRoom {
  /** Bytes of copies of logs. */
  readonly copies: number;
}

/** Bytes that servers write beside the files of a backup. `redo`: the capacity of a member's redo log, which it takes up in full. */
export function restoreMargin(redo = 0, replay?: ReplayRoom): number {
  const ofReplay = replay === undefined ? 0 : replay.copies + replayRedoBytes;
  return besideBytes + Math.max(leastRedo, redo, ofReplay);
}

/** Of the server that takes a copy over: by itself it would write as much as a member's. */
export const takeOverOptions = { innodb_redo_log_capacity: "8M" } as const;

/** What was found of it. `manifest`: undefined where it has none of a copy. `isDump`: whether it has a dump instead. */
export interface Contents {
  readonly manifest: Pick<Manifest, "server"> | undefined;
  readonly isDump: boolean;
}

/** Why not, and what to do; undefined where it can. `serverVersion`: such as "9.7.4". */
export function unfitFor(label: string, { manifest, isDump }: Contents, serverVersion: string): string | undefined {
  if (manifest === undefined)
    return isDump
      ? `${label} is a dump, as earlier images took them, and not files of a server: read it into a Database that runs (docs/databases/restore.md), or choose a later backup`
      : `${label} has no manifest that can be read: its files are damaged`;
  return versionProblem(label, manifest.server, serverVersion);
}

/** Why a server does not read what another one wrote; undefined where it does. */
export function versionProblem(what: string, server: string, serverVersion: string): string | undefined {
  const [was, is] = [numbersOf(server), numbersOf(serverVersion)];
  return was[0] === is[0] && isNotBefore(is, was)
    ? undefined
    : `${what} is of MySQL ${was.join(".")}, and the image of MySQL ${is.join(".")}: write that version, or a later one of ${was[0] ?? "it"}`;
}

const numbersOf = (version: string): number[] => (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);

function isNotBefore(one: readonly number[], other: readonly number[]): boolean {
  const place = other.findIndex((number, index) => number !== (one[index] ?? 0));
  return place === -1 || (one[place] ?? 0) > (other[place] ?? 0);
}
