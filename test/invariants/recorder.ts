// Records what happens in a cluster while tests run: every version of every Database, and every secret there ever was.
import { spawn, type ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { z } from "zod";
import { canariesIn, databaseView, Secret } from "./parse";
import type { WatchedDatabase } from "./snapshot";

export interface Recorder {
  /** Every event of the watch of all Databases, in the order in which they came. */
  readonly watched: readonly WatchedDatabase[];
  /** Passwords and keys of everything there ever was. */
  readonly canaries: ReadonlySet<string>;
  stop(): void;
}

const WatchEvent = z.object({ type: z.string(), object: z.unknown() });

const databases = "/apis/example.com/v1/databases?watch=true";
const secrets = "/api/v1/secrets?watch=true&labelSelector=app.kubernetes.io%2Fmanaged-by%3Ddatabase-operator";

/** Begins to record. `environment` carries cluster-admin's KUBECONFIG and a PATH on which kubectl is found. */
export function startRecorder(environment: Readonly<Record<string, string>>): Recorder {
  const watched: WatchedDatabase[] = [];
  const canaries = new Set<string>();
  const watches = [
    watch(environment, databases, (type, object) => {
      const database = databaseView(object);
      watched.push({ at: Date.now(), deleted: type === "DELETED", first: type === "ADDED", database });
    }),
    watch(environment, secrets, (_type, object) => {
      for (const canary of canariesIn(Secret.parse(object))) canaries.add(canary);
    }),
  ];
  return {
    watched,
    canaries,
    stop() {
      for (const stop of watches) stop();
    },
  };
}

/** How soon a watch that ended, with the API server say, is begun again; it then shows everything anew. */
const againMs = 300;

function watch(
  environment: Readonly<Record<string, string>>,
  path: string,
  accept: (type: string, object: unknown) => void,
): () => void {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    const started = spawn("kubectl", ["get", "--raw", path], {
      env: { HOME: process.env["HOME"], ...environment },
      stdio: ["ignore", "pipe", "ignore"],
    });
    child = started;
    // whoever forgets to stop it is not held up
    started.unref();
    if (started.stdout instanceof Socket) started.stdout.unref();
    createInterface({ input: started.stdout }).on("line", (line) => {
      const event = WatchEvent.safeParse(parseJson(line)).data;
      if (event !== undefined && event.type !== "ERROR" && event.type !== "BOOKMARK") accept(event.type, event.object);
    });
    started.once("close", () => {
      timer = setTimeout(begin, againMs).unref();
    });
    started.once("error", () => undefined);
  };
  begin();
  return () => {
    child?.removeAllListeners("close");
    clearTimeout(timer);
    child?.kill();
  };
}

/** A line that the end of the connection cut off is none. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
