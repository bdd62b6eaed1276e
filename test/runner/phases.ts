// Steps of the harness, each noted with its time, so that a run can show what its start-up time goes to.
import { beforeEach } from "node:test";
import { progressTo, type Progress } from "../../tools/progress";
import { leaveNote } from "./notes";

/** Does a step, and notes how long it took, whether it succeeded or not. */
export async function notedPhase<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  return work().finally(() => {
    leaveNote({ kind: "phase", name, ms: performance.now() - began });
  });
}

/** Progress as plain lines, whose steps are noted. */
export function notedProgress(log: (line: string) => void): Progress {
  const progress = progressTo(log);
  return { line: log, step: (title, work) => notedPhase(title, () => progress.step(title, work)) };
}

/** Notes, once, when the first test of the file begins; by a process of tests only. */
function noteStart(): void {
  const beganHooks = performance.now();
  let isNoted = false;
  beforeEach(() => {
    if (isNoted) return;
    isNoted = true;
    leaveNote({ kind: "started", ms: performance.now(), hooksMs: performance.now() - beganHooks });
  });
}

if (process.env["NODE_TEST_CONTEXT"] !== undefined) noteStart();
