// The program of a watchdog: waits for the end of its input, then ends the cluster unless it was released.
import { text } from "node:stream/consumers";
import { RELEASE } from "./watchdog";

async function main(): Promise<void> {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => undefined);
  const directory = process.argv[2];
  if (directory === undefined) throw new Error("usage: watchdog-main <directory of a cluster>");
  if ((await text(process.stdin)) === RELEASE) return;
  // loaded late, so that a watchdog that is not needed costs little
  const { endCluster } = await import("./end.js");
  await endCluster(directory);
}

main().catch(() => {
  process.exitCode = 1;
});
