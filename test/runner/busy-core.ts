// Keeps one core busy for as long as a person wants to see how tests do beside other work.
import { spawn } from "node:child_process";
import { isPresent } from "../../tools/host/packages";

/** Ends with the process that started it, however that ends, and at the latest after `ms`. */
const program = (ms: number): string =>
  `const parent = process.ppid; const end = Date.now() + ${ms}; while (Date.now() < end && process.ppid === parent);`;

/** Starts it; the result ends it. `ms`: the longest that it may take. Where there is `taskset` it stays on the first core. */
export async function keepBusy(ms: number): Promise<() => void> {
  const node = [process.execPath, "-e", program(ms)] as const;
  const [command, ...args] = (await isPresent("taskset")) ? (["taskset", "-c", "0", ...node] as const) : node;
  const child = spawn(command, args, { stdio: "ignore" });
  child.unref();
  return () => {
    child.kill("SIGKILL");
  };
}
