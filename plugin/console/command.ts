// `console`: the pages on this machine, for the person who runs it.
import { whoAsks } from "../approve/request";
import type { Asked } from "../command/asked";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import type { World } from "../command/world";
import { personOf } from "./access/open";
import { localApp } from "./local/app";
import { LocalSession } from "./local/session";
import { listen } from "./serve/listen";

const host = "127.0.0.1";

/** Until it is stopped. */
export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const port = portIn(asked.port);
  // what is wrong with the kubeconfig is said here, and not on a page
  const { namespace, context } = await world.open(asked.reach);
  // which one is the current context may change while pages are open, and they stay about this cluster
  const reach = { ...asked.reach, context };
  const known = [asked.namespace ?? namespace];
  const session = new LocalSession(world.now);
  const stopping = new AbortController();
  const listening = await listen({ host, port }, (bound) =>
    localApp({
      ...{ host: `${host}:${bound}`, session, now: world.now, stopped: stopping.signal },
      open: async () => {
        const cluster = await world.open(reach);
        return personOf(cluster, known, await whoAsks(cluster));
      },
      onError: (path, error) => {
        // the path begins with what only this session knows
        world.err(`${path.slice(session.base.length)}: ${error instanceof Error ? error.message : String(error)}\n`);
      },
    }),
  );
  const link = session.linkAt(`http://${host}:${listening.port}`);
  world.out(`Open this in your browser; it works once:\n\n  ${link}\n\nCtrl-C ends it.\n`);
  await stopped(world.stopped);
  stopping.abort();
  await listening.close();
  return 0;
}

function portIn(text = "0"): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Trouble(`--port is ${text}: write a number, such as 8080`);
}

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener("abort", () => {
        resolve();
      });
  });
