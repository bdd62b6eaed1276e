// A restore that is begun once more, where WAL that it needs was late.
import { ArrivedLate } from "../restore/hole";

/** `restore`: returns that WAL was late, but the last time. `between`: makes way for the second. */
export async function onceMoreWhereLate(
  restore: (isLast: boolean) => Promise<ArrivedLate | undefined>,
  between: (late: ArrivedLate) => Promise<void>,
): Promise<void> {
  const late = await restore(false);
  if (late === undefined) return;
  await between(late);
  await restore(true);
}

/** Returns that WAL was late, where that is no reason to give up. */
export async function lateIn(work: Promise<void>, isLast: boolean): Promise<ArrivedLate | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ArrivedLate && !isLast) return error;
    throw error;
  }
}
