// How WAL that is not in a copy is replayed onto it, from wherever it is kept.
import { readFile } from "node:fs/promises";
import { escapeLiteral } from "pg";
import { z } from "zod";
import type { Log } from "../log";
import type { Session } from "../server/connection";
import type { Wish } from "./choice";
import { holeAt } from "./hole";
import {
  isConsistent,
  isReached,
  leftBehind,
  missingSegmentIn,
  recoverySettings,
  serverTimeOf,
  whyNotReached,
  type Place,
} from "./recovery";

/** What the server that finishes a copy needs to replay WAL from elsewhere. */
export interface Recovery {
  /** Beside those that every such server has. */
  readonly settings: Readonly<Record<string, string>>;
  /** Beside that of this process: the keys of the storage. */
  readonly environment: Readonly<Record<string, string>>;
  /** Why it did not get where it should, by what it said; undefined where it did, or its own words say why. */
  problem(said: string): Promise<string | undefined>;
  /** Throws where it went beyond the moment. */
  check(session: Session): Promise<void>;
}

/** Where WAL is kept. */
export interface WalSource {
  /** The server's `restore_command`. */
  readonly command: string;
  /** What that needs beside the environment of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file that gets the names of what was asked for and is not there. */
  readonly missing: string;
  /** The first segment that the backup needs from there. */
  readonly first: string | undefined;
  readonly place: Place;
  /** The names of what is there now, one per line. */
  archived(): Promise<string>;
  /** Those of them that are complete: the replay must get behind them. Default: all. */
  readonly complete?: () => Promise<string>;
  /** Whether a segment that was not there had to be. Default: all had to. */
  readonly isNeeded?: (segment: string) => boolean;
}

/** What is replayed. `isBounded`: set where WAL that arrives from now on is not judged. Default: it is. */
export interface Replayed extends Pick<Wish, "until"> {
  readonly isBounded?: true;
}

const Last = z.array(z.tuple([z.string().nullable(), z.boolean()]));

/** See the header. */
export async function recoveryFrom({ until, isBounded }: Replayed, source: WalSource, log: Log): Promise<Recovery> {
  const { first, place, complete = () => source.archived() } = source;
  // of what arrives later, nothing is expected
  const listed = until.kind === "backup" ? "" : await complete();
  return {
    settings: recoverySettings(until, source.command),
    environment: source.environment,
    async problem(said) {
      if (isReached(until, said)) return undefined;
      const left = leftBehind({ listed, first, said, place });
      const isShort = left !== undefined || !isConsistent(said);
      const asked = { missing: await missingFrom(source), bound: isBounded && listed, isShort };
      const hole = await holeAt(asked, () => source.archived());
      return whyNotReached(until, { said, hole, left }, place);
    },
    async check(session) {
      const moment = until.kind === "moment" ? escapeLiteral(serverTimeOf(until.at)) : "'infinity'";
      const last = "pg_last_xact_replay_timestamp()";
      const rows = await session.rows(`SELECT ${last}::text, coalesce(${last} > ${moment}::timestamptz, false)`);
      const [[at, isBeyond] = [null, false]] = Last.parse(rows);
      if (isBeyond) throw new Error(`the WAL was replayed beyond the moment that was asked for: up to ${at ?? "?"}`);
      log(at === null ? "no change behind the backup was taken in" : `the last commit that was taken in: ${at}`);
    },
  };
}

async function missingFrom({ missing, isNeeded = () => true }: WalSource): Promise<string | undefined> {
  const segment = missingSegmentIn(await readFile(missing, "utf8").catch(() => ""));
  return segment !== undefined && isNeeded(segment) ? segment : undefined;
}
