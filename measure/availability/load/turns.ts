// A client that keeps one connection: as an application should, it takes every error as a reason for a new one.
import { setTimeout as delay } from "node:timers/promises";
import type { Session, Target, TestedEngine } from "../engines/engine";
import { limits } from "./limits";

export interface TurnsOptions {
  readonly engine: Pick<TestedEngine, "connect">;
  readonly target: Target;
  readonly stopped: AbortSignal;
  /** After a turn that went well, in milliseconds. */
  readonly pauseMs: number;
}

/** One turn over an open connection, which `end` destroys; answers whether it went well. */
export type Turn = (session: Session, end: () => void) => Promise<boolean>;

/** Takes turns until it is stopped, and then ends its connection. */
export async function takeTurns({ engine, target, stopped, pauseMs }: TurnsOptions, turn: Turn): Promise<void> {
  let session: Session | undefined;
  const end = (): void => {
    session?.destroy();
    session = undefined;
  };
  while (!stopped.aborted) {
    try {
      session ??= await engine.connect(target, limits.connect);
    } catch {
      await delay(limits.again);
      continue;
    }
    const isWell = await turn(session, end);
    if (!isWell) end();
    await delay(isWell ? pauseMs : limits.again);
  }
  end();
}
