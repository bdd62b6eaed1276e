// Pages of measurements that show what runs of tests learnt. They are written by programs of their own: tests do not import measurements.
import { run } from "../../tools/host/command";

const programs: readonly string[] = ["measure/backups/main.ts"];

/** Writes them from what is on record. `root`: of the project. */
export async function writePages(root: string): Promise<void> {
  for (const program of programs) await run("tsx", [program, "--page"], { cwd: root });
}
