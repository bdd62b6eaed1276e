// Binary logs that no program keeps any more, as that was switched off: backups remove them, as that program would have.
import { exists } from "../../disk";
import { LockRefused, withLock } from "../../lock";
import { log } from "../../log";
import { logsIn, writerLock } from "./store";
import { tidy, type TidyingArgs } from "./tidying";

/** Removes what no backup needs, and what would be in the way of the next one. Where a program keeps logs it does so itself. */
export async function tidyLeft(args: Omit<TidyingArgs, "current" | "isSettled" | "written">): Promise<void> {
  const { backups } = args;
  if (!(await exists(writerLock(backups)))) return;
  const work = async (): Promise<void> => {
    const { refusal } = await tidy({ ...args, current: undefined, isSettled: false, written: 0 });
    if (refusal !== undefined) log("binary logs stay", { why: refusal });
  };
  await withLock(writerLock(backups), { refusal: `a program keeps ${logsIn(backups)}` }, work).catch(
    (error: unknown) => {
      if (!(error instanceof LockRefused)) throw error;
    },
  );
}
