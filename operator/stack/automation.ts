// A StackRunner over the Automation API and the Pulumi CLI: one private directory and one CLI process per run.
import {
  LocalWorkspace,
  Stack,
  type EngineEvent,
  type PulumiCommand,
  type PulumiFn,
  type UpOptions,
} from "@pulumi/pulumi/automation";
import { readCheckpoint, workloadOf, type ReadableCheckpoint } from "./checkpoint";
import { pulumiEnvironment } from "./environment";
import { project } from "./names";
import { commandFor, PulumiCommandError } from "./pulumi-command";
import { RunDirectory } from "./run-directory";
import { RunReport } from "./run-report";
import {
  harmfulIn,
  type PreviewRequest,
  type PreviewResult,
  type Problem,
  type RunRequest,
  type StackPreviewer,
  type StackResult,
  type StackRunner,
} from "./runner";
import { Steps } from "./steps";

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

export function createAutomationRunner<Program>(
  options: AutomationOptions<Program>,
): StackRunner<Program> & StackPreviewer<Program> {
  return {
    up: (request) => execute(options, "up", request, request.program),
    destroy: (request) => execute(options, "destroy", request, undefined),
    preview: (request) => preview(options, request),
  };
}

async function execute<Program>(
  options: AutomationOptions<Program>,
  operation: Operation,
  request: Omit<RunRequest<Program>, "program">,
  program: Program | undefined,
): Promise<StackResult> {
  return onStack<Program, StackResult>(
    options,
    { ...request, program },
    {
      act: async ({ stack, directory, report }) => {
        await stack[operation](runOptions(report, request.refresh));
        const left = (await directory.checkpoint()) ?? "";
        return { kind: "succeeded", changes: report.changes, checkpoint: left, workload: workloadOf(left) };
      },
      failed: async (failure, directory) => ({ ...failure, checkpoint: await directory?.checkpoint() }),
    },
  );
}

async function preview<Program>(
  options: AutomationOptions<Program>,
  request: PreviewRequest<Program>,
): Promise<PreviewResult> {
  return onStack<Program, PreviewResult>(options, request, {
    act: async ({ stack, report }) => {
      const steps = new Steps((text) => report.mask(text));
      const observed = runOptions(report, request.refresh);
      const onEvent = (event: EngineEvent): void => {
        report.accept(event);
        steps.accept(event);
      };
      if (request.program === undefined) await stack.previewDestroy({ ...observed, onEvent });
      else await stack.preview({ ...observed, onEvent });
      return { kind: "succeeded", steps: steps.all, harmful: harmfulIn(steps.all) };
    },
    failed: (failure) => Promise.resolve(failure),
  });
}

/** What a run works with. */
interface Opened {
  readonly stack: Stack;
  readonly directory: RunDirectory;
  readonly report: RunReport;
}

interface Work<Result> {
  readonly act: (opened: Opened) => Promise<Result>;
  /** What to answer when `act` threw; without a directory where it never began. */
  readonly failed: (failure: Failure, directory?: RunDirectory) => Promise<Result>;
}

/** Opens the stack in a directory of its own, lets `act` work with it, and removes the directory. */
async function onStack<Program, Result>(
  options: AutomationOptions<Program>,
  request: PreviewRequest<Program>,
  { act, failed }: Work<Result>,
): Promise<Result> {
  const checkpoint = request.checkpoint === undefined ? undefined : readCheckpoint(request.checkpoint, request.stack);
  if (checkpoint === undefined && request.checkpoint !== undefined) {
    const problem = { message: "the stored state is no Pulumi checkpoint", resource: undefined };
    return failed({ kind: "corrupt", problem });
  }
  const { program } = request;
  const directory = await RunDirectory.create(options.workDirectory, request.stack, checkpoint?.text);
  const report = new RunReport(program === undefined ? [] : options.secretsOf(program));
  const deadline = AbortSignal.timeout(options.deadlineMs ?? longestRunMs);
  const signal = AbortSignal.any([deadline, request.signal].filter((given) => given !== undefined));
  try {
    const command = commandFor(options.command, signal);
    const stack = await openStack({ ...options, command }, directory, checkpoint, program);
    return await act({ stack, directory, report });
  } catch (error) {
    return await failed(failureOf(error, deadline, report), directory);
  } finally {
    await directory.remove();
  }
}

/** The key with which this state was encrypted is gone, or what it encrypted is damaged: the state is of no use any more. */
const undecipherable = /incorrect passphrase|message authentication failed|snapshot integrity/;

type Failure = { kind: "failed" | "timedOut" | "corrupt"; problem: Problem };

function failureOf(error: unknown, deadline: AbortSignal, report: RunReport): Failure {
  if (deadline.aborted) return { kind: "timedOut", problem: report.problem("Pulumi did not finish in time") };
  const kind = error instanceof PulumiCommandError && undecipherable.test(error.stderr) ? "corrupt" : "failed";
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
    ...pulumiEnvironment,
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof PulumiCommandError) {
    const cause = error.stderr.split("\n").find((line) => line.startsWith("error:"));
    return cause ?? error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
