// A restore drill, whatever the engine: it writes nothing but the volume that goes with its pod. Whatever its end, its last word says what that means
// for the backup (contract/verification-report.ts).
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { DrillFinding } from "../../contract/verification-report";
import { sayLast } from "../backups";
import { requiredNumber } from "../environment";
import { roomOn } from "../volume/room";
import { DrillEnd, endOf, reportOf, type Progress } from "./decide";

/** What a drill works with. */
export interface Drill {
  readonly progress: Progress;
  /** The directory of the data that come to be, below their volume. */
  readonly data: string;
  /** When it must have ended, in milliseconds since 1970. */
  readonly until: number;
  /** Aborted once it is over: what runs of it ends. */
  readonly over: AbortSignal;
  /** Has it wait for an end, once it is over: until then its data may be written. */
  readonly onceOver: (end: () => Promise<void>) => void;
  readonly log: (message: string) => void;
}

/** Runs one. `take` throws a DrillEnd where it does not pass. Throws then, too. */
export async function runDrill(
  { data, log }: Pick<Drill, "data" | "log">,
  take: (drill: Drill) => Promise<void>,
): Promise<void> {
  const startedAt = new Date();
  const progress: Progress = {
    stage: "the drill began",
    label: undefined,
    recoverySeconds: undefined,
    answers: [],
    omitted: [],
  };
  const until = startedAt.getTime() + requiredNumber("VERIFY_SECONDS") * 1000;
  const over = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  const onceOver: Drill["onceOver"] = (end) => void ends.push(end);
  const drill: Drill = { progress, data, until, over: over.signal, onceOver, log };
  const end = await Promise.race([take(drill), outOfTime(drill), interrupted(progress)]).then(
    () => undefined,
    (error: unknown) => endOf(error, "Interrupted", Number.POSITIVE_INFINITY),
  );
  const report = reportOf(progress, end, { startedAt, now: new Date() });
  await sayLast(JSON.stringify(report));
  over.abort();
  await Promise.allSettled(ends.map((end) => end()));
  // the pod, and with it the volume, may be there for a while
  await rm(data, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  if (end !== undefined) throw new Error(`${report.verified ?? "no backup"}: ${report.verdict}: ${report.message}`);
  log(`${report.verified ?? ""}: ${report.message}`);
}

async function outOfTime({ progress, until, over }: Drill): Promise<never> {
  await delay(until - Date.now(), undefined, { signal: over });
  throw new DrillEnd("OutOfTime", `the time ran out while ${progress.stage}: write more timeoutMinutes`);
}

/** The pod is told to go: it is drained, or its Job was deleted. */
function interrupted(progress: Progress): Promise<never> {
  return new Promise((_resolve, reject) => {
    process.once("SIGTERM", () => {
      reject(new DrillEnd("Interrupted", `its pod was told to stop while ${progress.stage}`));
    });
  });
}

/** A part of one. `otherwise`: what it means that it failed. `wanted`: see `endOf`. Throws a DrillEnd then. */
export async function step<T>(
  { progress, data, wanted }: Pick<Drill, "progress" | "data"> & { readonly wanted?: number },
  stage: string,
  work: () => Promise<T>,
  otherwise: (error: unknown) => DrillFinding = () => "Interrupted",
): Promise<T> {
  progress.stage = stage;
  try {
    return await work();
  } catch (error) {
    throw endOf(error, otherwise(error), (await roomOn(dirname(data))).free, wanted);
  }
}

/** Milliseconds that are left. */
export const leftOf = ({ until }: Pick<Drill, "until">): number => Math.max(1000, until - Date.now());
