// `wait`: until a Database is as it was asked to be, is gone, or will not get there by itself.
import { setTimeout as sleep } from "node:timers/promises";
import { changesOf } from "../cluster/changes";
import { databaseIfAny, noSuch } from "../cluster/read";
import { collectionOf, kinds } from "../cluster/paths";
import type { Asked } from "../command/asked";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import { isPassing, type Cluster, type World } from "../command/world";
import { aDatabase, databaseIfThere, type SeenDatabase } from "../objects/database";
import { clockText, longestHours, timeoutOf } from "../output/amounts";
import { goals, progressOf, type Goal, type Progress } from "./progress";

interface Wish {
  readonly namespace: string;
  readonly name: string;
  readonly goal: Goal;
  readonly timeoutMs: number;
}

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const { goal, timeoutMs } = wishOf(asked);
  const cluster = await world.open(asked.reach);
  const wish = { goal, timeoutMs, namespace: asked.namespace ?? cluster.namespace, name: asked.name ?? "" };
  const last = await watched(cluster, wish, world);
  if (last?.kind === "reached") return 0;
  if (last?.kind !== "hopeless") {
    const time = asked.timeout ?? defaultTimeout;
    world.err(`${wish.namespace}/${wish.name} is not ${goal} after ${time}: ${last?.text ?? "nothing was seen"}\n`);
  }
  return 1;
}

/** Tells each turn, up to the one that decides it, or to the end of the time. */
async function watched(cluster: Cluster, wish: Wish, world: World): Promise<Progress | undefined> {
  let last: Progress | undefined;
  for await (const database of versions(cluster, wish, AbortSignal.timeout(wish.timeoutMs))) {
    const progress = progressOf(wish.goal, database);
    if (progress.text !== last?.text) world.out(`${clockNow(world.now())}  ${progress.text}\n`);
    last = progress;
    if (progress.kind !== "going") break;
  }
  return last;
}

const clockNow = (now: Date): string => clockText(now.toISOString(), now);

const defaultTimeout = "5m";

function wishOf({ goal = "ready", timeout = defaultTimeout }: Asked): Pick<Wish, "goal" | "timeoutMs"> {
  const known = goals.find((one) => one === goal);
  if (known === undefined) throw new Trouble(`--for is ${goal}: write ${goals.join(" or ")}`);
  const timeoutMs = timeoutOf(timeout);
  if (timeoutMs === undefined)
    throw new Trouble(`--timeout is ${timeout}: write for example 90s, 5m or 1h30m, at most ${longestHours}h`);
  return { goal: known, timeoutMs };
}

/** Between two watches, in milliseconds. */
const pauseMs = 500;

/** The Database as it is, and as it becomes; undefined where there is none. Ends when `signal` aborts. */
async function* versions(
  cluster: Cluster,
  wish: Wish,
  signal: AbortSignal,
): AsyncGenerator<SeenDatabase | undefined, void> {
  const first = await databaseIfAny(cluster, wish.namespace, wish.name, firstSignal(wish, signal));
  if (first === undefined && wish.goal !== "deleted") throw await noSuch(cluster, wish.namespace, wish.name);
  let now = databaseIfThere(first);
  yield now;
  while (!signal.aborted) {
    yield* changes(cluster, wish, { since: now?.metadata.resourceVersion, signal });
    await pause(signal);
    const looked = await lookAgain(cluster, wish, signal);
    if (looked === "away") continue;
    now = looked.database;
    yield now;
  }
}

/** Who looks once does so as long as it takes. */
const firstSignal = ({ timeoutMs }: Wish, signal: AbortSignal): AbortSignal | undefined =>
  timeoutMs === 0 ? undefined : signal;

/** Ends with the wait. */
const pause = (signal: AbortSignal): Promise<unknown> => sleep(pauseMs, undefined, { signal }).catch(() => undefined);

async function lookAgain(
  cluster: Cluster,
  { namespace, name }: Wish,
  signal: AbortSignal,
): Promise<"away" | { readonly database: SeenDatabase | undefined }> {
  try {
    return { database: databaseIfThere(await databaseIfAny(cluster, namespace, name, signal)) };
  } catch (error) {
    if (isPassing(error)) return "away";
    throw error;
  }
}

interface From {
  readonly since: string | undefined;
  readonly signal: AbortSignal;
}

/** What one watch tells, until it ends. */
async function* changes(
  cluster: Cluster,
  { namespace, name }: Wish,
  { since, signal }: From,
): AsyncGenerator<SeenDatabase | undefined, void> {
  const query = { fieldSelector: `metadata.name=${name}`, ...(since !== undefined && { resourceVersion: since }) };
  for await (const { object, isGone } of changesOf(cluster, collectionOf(kinds.databases, namespace), query, signal))
    yield isGone ? undefined : aDatabase(object);
}
