// A StackRunner over the Automation API and the Pulumi CLI: one private directory and one CLI process per run.
import { LocalWorkspace, Stack, type PulumiCommand, type PulumiFn, type UpOptions } from "@pulumi/pulumi/automation";
import { readCheckpoint, workloadOf, type ReadableCheckpoint } from "./checkpoint";
import { project } from "./names";
import { commandFor, PulumiCommandError } from "./pulumi-command";
import { RunDirectory } from "./run-directory";
import { RunReport } from "./run-report";
import type { Problem, RunRequest, StackResult, StackRunner } from "./runner";

export interface AutomationOptions<Program> {
  readonly command: PulumiCommand;
  /** Key of the stacks' secrets. */
  readonly passphrase: string;
  /** Parent of the runs' directories; on a tmpfs where there is one. */
  readonly workDirectory: string;
  /** Longest run, in milliseconds. Default: 10 min. */
  readonly deadlineMs?: number;
  readonly toPulumi: (program: Program) => PulumiFn;
  /** Strings of a program that no message may contain. */
  readonly secretsOf: (program: Program) => readonly string[];
}

type Operation = "up" | "destroy";

const longestRunMs = 600_000;

/** The inline program of a destroy: what it would declare does not matter. */
const noProgram: PulumiFn = () => Promise.resolve();

export function createAutomationRunner<Program>(options: AutomationOptions<Program>): StackRunner<Program> {
  return {
    up: (request) => execute(options, "up", request, request.program),
    destroy: (request) => execute(options, "destroy", request, undefined),
  };
}

async function execute<Program>(
  options: AutomationOptions<Program>,
  operation: Operation,
  request: Omit<RunRequest<Program>, "program">,
  program: Program | undefined,
): Promise<StackResult> {
  const checkpoint = request.checkpoint === undefined ? undefined : readCheckpoint(request.checkpoint);
  if (checkpoint === undefined && request.checkpoint !== undefined) {
    return { kind: "corrupt", problem: { message: "the stored state is no Pulumi checkpoint", resource: undefined } };
  }
  const directory = await RunDirectory.create(options.workDirectory, request.stack, checkpoint?.text);
  const report = new RunReport(program === undefined ? [] : options.secretsOf(program));
  const deadline = AbortSignal.timeout(options.deadlineMs ?? longestRunMs);
  const signal = AbortSignal.any([deadline, request.signal].filter((given) => given !== undefined));
  try {
    const command = commandFor(options.command, signal);
    const stack = await openStack({ ...options, command }, directory, checkpoint, program);
    await stack[operation](runOptions(report, request.refresh));
    const left = (await directory.checkpoint()) ?? "";
    return {
      kind: "succeeded",
      changes: report.changes,
      checkpoint: left,
      workload: workloadOf(left),
    };
  } catch (error) {
    return { ...failureOf(error, deadline, report), checkpoint: await directory.checkpoint() };
  } finally {
    await directory.remove();
  }
}

type Failure = { kind: "failed" | "timedOut" | "corrupt"; problem: Problem };

function failureOf(error: unknown, deadline: AbortSignal, report: RunReport): Failure {
  if (deadline.aborted) return { kind: "timedOut", problem: report.problem("Pulumi did not finish in time") };
  // the key with which this state was encrypted is gone: the state is of no use any more
  const kind =
    error instanceof PulumiCommandError && error.stderr.includes("incorrect passphrase") ? "corrupt" : "failed";
  return { kind, problem: report.problem(reasonOf(error)) };
}

type RunOptions = Pick<UpOptions, "onEvent" | "color" | "refresh" | "suppressOutputs" | "suppressProgress">;

function runOptions(report: RunReport, refresh = false): RunOptions {
  return {
    onEvent: (event) => {
      report.accept(event);
    },
    color: "never",
    refresh,
    suppressOutputs: true,
    suppressProgress: true,
  };
}

async function openStack<Program>(
  options: AutomationOptions<Program>,
  directory: RunDirectory,
  checkpoint: ReadableCheckpoint | undefined,
  program: Program | undefined,
): Promise<Stack> {
  const workspace = await LocalWorkspace.create({
    workDir: directory.work,
    pulumiHome: directory.home,
    pulumiCommand: options.command,
    program: program === undefined ? noProgram : options.toPulumi(program),
    projectSettings: { name: project, runtime: "nodejs", backend: { url: directory.backend } },
    stackSettings: checkpoint ? { [directory.stack]: { encryptionSalt: checkpoint.salt } } : {},
    envVars: environmentOf(options.passphrase, directory),
  });
  return checkpoint ? Stack.select(directory.stack, workspace) : Stack.create(directory.stack, workspace);
}

function environmentOf(passphrase: string, directory: RunDirectory): Record<string, string> {
  return {
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_BACKEND_URL: directory.backend,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
    PULUMI_DIY_BACKEND_NO_LEGACY_WARNING: "true",
    // else every change of a ConfigMap or Secret replaces it
    PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE: "true",
    PULUMI_K8S_ENABLE_SECRET_MUTABLE: "true",
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof PulumiCommandError) {
    const cause = error.stderr.split("\n").find((line) => line.startsWith("error:"));
    return cause ?? error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
