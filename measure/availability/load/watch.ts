// Looks at every member, past the Services, and notes which of them acknowledge a write.
import { setTimeout as delay } from "node:timers/promises";
import type { Member } from "../cluster/members";
import { StatementRefused, type Session, type Target, type TestedEngine } from "../engines/engine";
import { within } from "./within";
import type { Sample } from "./writers";

/** Between two looks at a member, in milliseconds. */
export const everyMs = 100;
/** For a look to be answered: one that takes longer shows nothing of a moment. */
const limitMs = 1000;

export interface WatchOptions {
  readonly engine: TestedEngine;
  /** Who asks; the host is the member's. */
  readonly target: Target;
  readonly members: () => readonly Member[];
  /** Takes the rows of the looks. */
  readonly table: string;
}

export interface Watch {
  stop(): Promise<readonly Sample[]>;
}

/** The number of the last row, so that none is used twice. */
let looks = 0;

/** Starts to look. A server that was there once is looked at until the end: it may live longer than its pod is known. */
export function startWatch(options: WatchOptions): Watch {
  const samples: Sample[] = [];
  const abort = new AbortController();
  const watched = new Map<string, Promise<void>>();
  const notice = (): void => {
    for (const { address, name } of options.members()) {
      if (address === "" || watched.has(address)) continue;
      watched.set(
        address,
        lookAt({ ...options, address, server: `${name} (${address})`, samples, stopped: abort.signal }),
      );
    }
  };
  notice();
  const timer = setInterval(notice, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      abort.abort();
      await Promise.all(watched.values());
      return samples;
    },
  };
}

interface Server extends WatchOptions {
  readonly address: string;
  readonly server: string;
  readonly samples: Sample[];
  readonly stopped: AbortSignal;
}

async function lookAt({ engine, target, table, address, server, samples, stopped }: Server): Promise<void> {
  let session: Session | undefined;
  const end = (): void => {
    session?.destroy();
    session = undefined;
  };
  while (!stopped.aborted) {
    let sentAt = performance.now();
    let writable = false;
    try {
      session ??= await engine.connect({ ...target, host: address }, limitMs);
      sentAt = performance.now();
      writable = await within(limitMs, writesOn(engine, session, table), end);
    } catch (error) {
      if (!(error instanceof StatementRefused)) end();
    }
    samples.push({ server, sentAt, endedAt: performance.now(), writable });
    await delay(everyMs);
  }
  end();
}

/** Asks first: refused writes would fill the log of every replica. */
async function writesOn(engine: TestedEngine, session: Session, table: string): Promise<boolean> {
  if (await engine.isReadOnly(session)) return false;
  looks += 1;
  await session.run(`insert into ${table} values (1, ${looks})`);
  return true;
}
