// Pulumi as one process that stays: it keeps the engine, the key and the provider at hand, and no state on disk.
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { temporaryDirectory } from "../directories";
import { escalateOn } from "../escalation";
import { project } from "../../domain/stack-names";
import type { Pulumi, RunPlan, Session } from "../pulumi";
import { residentCommand, type Asked } from "./command";
import { Generations, type ProcessLimits } from "./generations";
import type { Ahead } from "./ahead";
import type { ResidentProcess } from "./process";
import type { Done } from "./protocol";
import { startResident } from "./start";

export interface ResidentOptions {
  /** The program, `pulumi-resident`. */
  readonly program: string;
  /** Key of the stacks' secrets. */
  readonly passphrase: string;
  /** Parent of the directory that its processes work in. */
  readonly workDirectory: string;
  /** Called with what the process prints for people. */
  readonly onLog: (line: string) => void;
  /** Notified of each process that is started. */
  readonly onProcess: () => void;
  readonly limits?: ProcessLimits;
  /** One that was started before, to be the first. Default: none was. */
  readonly ahead?: Ahead | undefined;
}

/** How long a run that must end early may take before it is ended by force, and then before its process is, in milliseconds. */
const graceMs = 30_000;
const forceMs = 10_000;

/** Starts the process at once, so that the first run finds it ready. */
export function createResident(options: ResidentOptions): Pulumi {
  const { program, passphrase, workDirectory, onLog, onProcess, limits, ahead } = options;
  const first = ahead?.take(passphrase);
  const directory = first === undefined ? temporaryDirectory(workDirectory) : Promise.resolve(first.directory);
  let given = first?.process;
  const living = new Set<ResidentProcess>();
  let writesUntil: Date | undefined;
  const generations = new Generations(async () => {
    onProcess();
    const former = given;
    given = undefined;
    const { path } = await directory;
    const started = await (former ?? startResident({ program, directory: path, passphrase, onLog }));
    living.add(started);
    void started.ended.then(() => living.delete(started));
    if (writesUntil !== undefined) started.allowWritesUntil(writesUntil);
    return started;
  }, limits);
  // its failure is reported to the caller that opens a run
  generations.current().catch(() => undefined);
  return {
    isResident: true,
    open: async (plan) => new ResidentSession(plan, await generations.current(), (await directory).path),
    allowWritesUntil: (time) => {
      writesUntil = time;
      for (const one of living) one.allowWritesUntil(time);
    },
    close: async () => {
      await generations.close();
      await (await directory).remove();
    },
  };
}

class ResidentSession implements Session {
  readonly workspace;
  #onEvent: (event: EngineEvent) => void = () => undefined;
  #checkpoint: string | undefined;

  constructor(
    private readonly plan: RunPlan,
    private readonly process: ResidentProcess,
    directory: string,
  ) {
    const onEvent = (event: EngineEvent): void => {
      this.#onEvent(event);
    };
    const pulumiCommand = residentCommand(process.version, (...given) => this.#carry(...given), onEvent);
    this.workspace = { workDir: directory, pulumiCommand };
  }

  listen(onEvent: (event: EngineEvent) => void): Record<string, never> {
    this.#onEvent = onEvent;
    return {};
  }

  checkpoint(): Promise<string | undefined> {
    return Promise.resolve(this.#checkpoint);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #carry({ operation, refresh }: Asked, onEvent: (event: EngineEvent) => void): Promise<Done> {
    const { stack, checkpoint, program, signal } = this.plan;
    const existing = this.plan.existing && Object.fromEntries(this.plan.existing);
    const { text, salt } = checkpoint;
    const isPreview = operation === "preview" || operation === "preview-destroy";
    const call = { operation, project, stack, checkpoint: text, salt, program, refresh, existing, details: isPreview };
    const run = this.process.run(call, onEvent);
    const gracefully = (): void => {
      run.cancel("graceful");
    };
    const byForce = (): void => {
      run.cancel("forced");
    };
    // runs of other stacks must not end with a preview
    const withItsProcess = (): void => {
      if (isPreview) run.abandon();
      else this.process.kill();
    };
    const stop = escalateOn(signal, gracefully, [
      { afterMs: graceMs, act: byForce },
      { afterMs: forceMs, act: withItsProcess },
    ]);
    try {
      const done = await run.done;
      this.#checkpoint = done.checkpoint;
      return done;
    } finally {
      stop();
    }
  }
}
