// How busy this machine is for those who measure on it: how much longer a program takes to start than the processor works on it.
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { run } from "../../../tools/host/command";

/** One start of a program, from its beginning to its end, and what of that it had the processor; in milliseconds. */
export interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Measures until it is stopped. */
export interface PaceWatch {
  /** The pace since the beginning. */
  stop(): Promise<number>;
}

const pauseMs = 1000;
const program = `const { userCPUTime, systemCPUTime } = process.resourceUsage(); console.log((userCPUTime + systemCPUTime) / 1000)`;
const Milliseconds = z.coerce.number().positive();

/** 1 where programs have the processor whenever they can use it; 4 where they take four times as long. */
export function paceOf(starts: readonly Start[]): number {
  const sum = (take: (start: Start) => number): number => starts.reduce((all, start) => all + take(start), 0);
  return starts.length === 0 ? 1 : Math.max(1, sum(({ wallMs }) => wallMs) / sum(({ cpuMs }) => cpuMs));
}

/** Starts a program that does nothing once a second. */
export function startPace(): PaceWatch {
  const end = new AbortController();
  const starts: Start[] = [];
  const measuring = (async () => {
    while (!end.signal.aborted) {
      const from = performance.now();
      const cpuMs = Milliseconds.parse(await run(process.execPath, ["-e", program]));
      starts.push({ wallMs: performance.now() - from, cpuMs });
      await pause(pauseMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      end.abort();
      await measuring;
      return paceOf(starts);
    },
  };
}
