// The world of one inline program: the SDK's settings and connections, and the errors that the program leaves behind.
import { log, runtime } from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { isGrpcError, ResourceError } from "@pulumi/pulumi/errors";
import type { RunRequest } from "@pulumi/pulumi/proto/language_pb";
import * as state from "@pulumi/pulumi/runtime/state";
import { z } from "zod";

type InWorld = <T>(callback: () => Promise<T>) => Promise<T>;

type CurrentWorld = () => unknown;

/** What the SDK's declarations leave out: a store of its own for everything that happens within a callback. */
const { withLocalStorage: inWorld, getLocalStore: currentStore } = z
  .object({
    withLocalStorage: z.custom<InWorld>((value) => typeof value === "function"),
    getLocalStore: z.custom<CurrentWorld>((value) => typeof value === "function"),
  })
  .parse(state);

/** The world that this code is called in; undefined outside of all. */
function currentWorld(): object | undefined {
  const store = currentStore();
  return typeof store === "object" && store !== null ? store : undefined;
}

const Closable = z.object({ close: z.custom<() => void>((value) => typeof value === "function") });
/** The connections of a world; the SDK opens them and, for inline programs, never closes them. */
const World = z.object({
  settings: z.object({ monitor: z.unknown().optional(), engine: z.unknown().optional() }),
});

/**
 * Runs `program` against the engine that asks for it, until it ends or `abandoned` says that no engine waits for it any
 * more. Returns what is reported to the engine of a failure; never rejects.
 */
export function runInItsWorld(
  request: RunRequest,
  program: PulumiFn,
  abandoned: AbortSignal,
): Promise<string | undefined> {
  return inWorld(async () => {
    const stray = strays.collect();
    try {
      await Promise.race([carryOut(request, program), rejectedBy(abandoned)]);
      return failureOf(stray);
    } catch (error) {
      return failureOf(stray) ?? messageOf(error);
    } finally {
      strays.forget();
      disconnect();
    }
  });
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abandon = (): void => {
      reject(new Error("the run ended before its program"));
    };
    if (signal.aborted) abandon();
    else signal.addEventListener("abort", abandon, { once: true });
  });
}

async function carryOut(request: RunRequest, program: PulumiFn): Promise<void> {
  const [engine = ""] = request.getArgsList();
  runtime.resetOptions(
    request.getProject(),
    request.getStack(),
    request.getParallel(),
    engine,
    request.getMonitorAddress(),
    request.getDryrun(),
    request.getOrganization(),
  );
  runtime.setAllConfig({}, []);
  try {
    await runtime.runInPulumiStack(program);
    await runtime.disconnect(true);
  } catch (error) {
    await runtime.disconnect(false);
    // the engine went away, and knows why
    if (!(error instanceof Error && isGrpcError(error))) throw error;
  }
}

function failureOf(stray: ReadonlySet<unknown>): string | undefined {
  if (stray.size > 0) return `One or more errors occurred: ${[...stray].map(messageOf).join(", ")}`;
  return log.hasErrors() ? "One or more errors occurred. Check logs for more details" : undefined;
}

function disconnect(): void {
  const { settings } = World.parse(currentWorld());
  for (const connection of [settings.monitor, settings.engine]) {
    const closable = Closable.safeParse(connection);
    if (closable.success) closable.data.close.call(connection);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Errors that no caller awaits, such as a throw in an `apply`. Node reports them to the whole process, in the context of
 * the promise or callback that failed: that context names the world, and only its run fails, if it still runs.
 * Elsewhere they end the process as ever.
 */
class Strays {
  readonly #worlds = new WeakMap<object, Set<unknown>>();
  #listens = false;

  /** Collects the errors of the world that calls. */
  collect(): ReadonlySet<unknown> {
    if (!this.#listens) {
      process.on("uncaughtException", this.#accept);
      process.on("unhandledRejection", this.#accept);
      this.#listens = true;
    }
    const errors = new Set<unknown>();
    const world = currentWorld();
    if (world !== undefined) this.#worlds.set(world, errors);
    return errors;
  }

  /** The world that calls is over: what still fails in it concerns no run. */
  forget(): void {
    const world = currentWorld();
    if (world !== undefined) this.#worlds.delete(world);
  }

  readonly #accept = (error: unknown): void => {
    const world = currentWorld();
    if (world === undefined) {
      // as if there were no listener
      process.off("uncaughtException", this.#accept);
      process.off("unhandledRejection", this.#accept);
      throw error;
    }
    const errors = this.#worlds.get(world);
    if (errors === undefined || errors.has(error)) return;
    errors.add(error);
    if (error instanceof Error && isGrpcError(error)) return;
    log.error(messageOf(error), ResourceError.isInstance(error) ? error.resource : undefined).catch(() => undefined);
  };
}

const strays = new Strays();
