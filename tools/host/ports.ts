// Finds free ports on this machine, and keeps them for this process: between a look at a port and a server that listens there, others look
// as well, and a look is itself in a server's way.
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { portsDirectory } from "../directories";
import { tryLock } from "./lock";

/** Where ports are looked for. */
export interface PortRange {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** The directory of claims, one for all that look in this range. */
  readonly claims: string;
}

/** Below the range from which systems take the ports of outgoing connections, so that none of those gets in the way. */
const usual = (): PortRange => ({ first: 20_000, end: 30_000, claims: portsDirectory() });
const ATTEMPTS = 100;

/** Two free TCP ports, picked at random. No other process that asks here gets one of them as long as this one lives. */
export async function freePorts(range: PortRange = usual()): Promise<readonly [number, number]> {
  return [await freePort(range), await freePort(range)];
}

async function freePort({ first, end, claims }: PortRange): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(first, end);
    const claim = join(claims, String(port));
    if (!(await tryLock(claim))) continue;
    if (await isFree(port)) {
      keep(claim);
      return port;
    }
    await rm(claim, { force: true });
  }
  throw new Error(`found no free port between ${first} and ${end}`);
}

const kept = new Set<string>();

/** Until this process ends; the claim of one that is killed counts for nothing. */
function keep(claim: string): void {
  if (kept.size === 0) {
    process.once("exit", () => {
      for (const file of kept) rmSync(file, { force: true });
    });
  }
  kept.add(claim);
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
