// Finds free ports on this machine.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the range from which systems take the ports of outgoing connections, so that none of those gets in the way. */
const FIRST_PORT = 20_000;
const LAST_PORT = 30_000;
const ATTEMPTS = 100;

/** Two free TCP ports, picked at random so that clusters that start at the same time pick different ones. */
export async function freePorts(): Promise<readonly [number, number]> {
  const first = await freePort();
  for (;;) {
    const second = await freePort();
    if (second !== first) return [first, second];
  }
}

async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error(`found no free port between ${FIRST_PORT} and ${LAST_PORT}`);
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => {
      resolve(false);
    });
    // on all addresses, as the API server of a cluster with real nodes listens
    server.listen(port, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
