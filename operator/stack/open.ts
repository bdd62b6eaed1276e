// Chooses how Pulumi runs: resident where that is built, else one CLI process for each run.
import type { PulumiCommand } from "@pulumi/pulumi/automation";
import { createAutomationRunner, type AutomationRunner } from "./automation";
import { createCli } from "./cli/cli";
import { findPulumiCommand } from "./cli/command";
import type { DatabaseProgram } from "../domain/desired";
import { programOf, secretsOf } from "./program";
import { findOnPath } from "./processes";
import type { Pulumi, PulumiProcess } from "./pulumi";
import { ResidentGone } from "./resident/process";
import type { Ahead } from "./resident/ahead";
import { createResident } from "./resident/resident";
import { residentProgram } from "./resident/start";

/** `auto`: a resident Pulumi where the program is found, and the CLI where it is not or does not start. */
export type PulumiMode = "auto" | "resident" | "cli";

export interface PulumiOptions {
  readonly mode: PulumiMode;
  /** Key of the stacks' secrets. */
  readonly passphrase: string;
  /** Parent of private temporary directories; on a tmpfs where there is one. */
  readonly workDirectory: string;
  readonly log: StackLog;
  /** Notified of each process that is started to execute runs. Default: none. */
  readonly onProcess?: (kind: PulumiProcess) => void;
  /** A resident Pulumi that starts already: made use of where one is wanted. Default: none does. */
  readonly ahead?: Ahead | undefined;
}

export interface StackOptions extends PulumiOptions {
  /** Longest run, in milliseconds. */
  readonly deadlineMs: number;
}

/** Called with what a person may want to know of how Pulumi runs. */
export interface StackLog {
  info(message: string): void;
  warn(message: string): void;
}

/** Rejects when what `mode` asks for is not there. */
export async function openStacks(options: StackOptions): Promise<AutomationRunner<DatabaseProgram>> {
  const { deadlineMs, passphrase } = options;
  const pulumi = await openPulumi(options);
  return createAutomationRunner({ pulumi, passphrase, deadlineMs, toPulumi: programOf, secretsOf });
}

/** Rejects when what `mode` asks for is not there. */
export async function openPulumi(options: PulumiOptions): Promise<Pulumi> {
  const { mode, passphrase, workDirectory, log, onProcess, ahead } = options;
  const cli = (command: () => Promise<PulumiCommand>): Pulumi =>
    createCli({ command, passphrase, workDirectory, onProcess: () => onProcess?.("cli") });
  const program = mode === "cli" ? undefined : await findOnPath(residentProgram);
  if (program === undefined) {
    if (mode === "resident") throw new Error(`there is no ${residentProgram} on PATH`);
    log.info("one Pulumi CLI process for each run");
    const command = await findPulumiCommand();
    return cli(() => Promise.resolve(command));
  }
  log.info("Pulumi is resident");
  const onLog = (line: string): void => {
    log.info(`${residentProgram}: ${line}`);
  };
  const onStart = (): void => onProcess?.("resident");
  const resident = createResident({ program, passphrase, workDirectory, onLog, onProcess: onStart, ahead });
  if (mode === "resident") return resident;
  let found: Promise<PulumiCommand> | undefined;
  return withFallback(
    resident,
    cli(() => (found ??= findPulumiCommand())),
    log,
  );
}

/** The CLI stands in for a resident Pulumi that cannot be started. A run that has begun is never begun again. */
export function withFallback(resident: Pulumi, cli: Pulumi, log: Pick<StackLog, "warn">): Pulumi {
  let isResident = true;
  return {
    get isResident() {
      return isResident;
    },
    open: async (plan) => {
      try {
        const session = await resident.open(plan);
        isResident = true;
        return session;
      } catch (error) {
        if (!(error instanceof ResidentGone)) throw error;
        isResident = false;
        log.warn(`${error.message}: the Pulumi CLI stands in for it`);
        return cli.open(plan);
      }
    },
    allowWritesUntil: (time) => {
      resident.allowWritesUntil(time);
      cli.allowWritesUntil(time);
    },
    close: async () => {
      await Promise.all([resident.close(), cli.close()]);
    },
  };
}
