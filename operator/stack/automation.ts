// A StackRunner over the Automation API: one private session of Pulumi for each run.
import { LocalWorkspace, Stack, type PulumiFn } from "@pulumi/pulumi/automation";
import {
  emptyCheckpoint,
  readCheckpoint,
  workloadOf,
  type Protection,
  type ReadableCheckpoint,
} from "../checkpoint/checkpoint";
import { ProgramServer } from "./programs/server";
import { PulumiError, type Pulumi, type Session } from "./pulumi";
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
} from "../domain/runner";
import { sharedSalt } from "./salt";
import { Steps } from "./steps";

export interface AutomationOptions<Program> {
  readonly pulumi: Pulumi;
  /** Key of the stacks' secrets. */
  readonly passphrase: string;
  /** Longest run, in milliseconds. Default: 10 min. */
  readonly deadlineMs?: number;
  readonly toPulumi: (program: Program) => PulumiFn;
  /** Strings of a program that no message may contain. */
  readonly secretsOf: (program: Program) => readonly string[];
}

/** Runs stacks and predicts what a run would do, until it is closed. */
export interface AutomationRunner<Program>
  extends StackRunner<Program>, StackPreviewer<Program>, Pick<Pulumi, "allowWritesUntil" | "isResident"> {
  close(): Promise<void>;
}

type Operation = "up" | "destroy";

const longestRunMs = 600_000;

/** The inline program of a destroy: what it would declare does not matter. */
const noProgram: PulumiFn = () => Promise.resolve();

/** What all runs share. */
interface SharedOptions<Program> extends AutomationOptions<Program> {
  readonly programs: ProgramServer;
  readonly salt: () => Promise<string>;
}

export function createAutomationRunner<Program>(options: AutomationOptions<Program>): AutomationRunner<Program> {
  const shared = { ...options, programs: new ProgramServer(), salt: sharedSalt(options.passphrase) };
  return {
    get isResident() {
      return options.pulumi.isResident;
    },
    up: (request) => execute(shared, "up", request, request.program),
    destroy: (request) => execute(shared, "destroy", request, undefined),
    preview: (request) => preview(shared, request),
    allowWritesUntil: (time) => {
      options.pulumi.allowWritesUntil(time);
    },
    close: async () => {
      await shared.programs.close();
      await options.pulumi.close();
    },
  };
}

async function execute<Program>(
  shared: SharedOptions<Program>,
  operation: Operation,
  request: Omit<RunRequest<Program>, "program">,
  program: Program | undefined,
): Promise<StackResult> {
  return onStack<Program, StackResult>(
    shared,
    { ...request, program },
    {
      protection: operation === "up" ? "protected" : "unprotected",
      act: async ({ stack, session, report }) => {
        const heard = session.listen((event) => {
          report.accept(event);
        });
        await stack[operation]({ ...quiet, ...heard, refresh: request.refresh ?? false });
        const left = (await session.checkpoint()) ?? "";
        return { kind: "succeeded", changes: report.changes, checkpoint: left, workload: workloadOf(left) };
      },
      failed: async (failure, session) => ({ ...failure, checkpoint: await session?.checkpoint() }),
    },
  );
}

async function preview<Program>(
  shared: SharedOptions<Program>,
  request: PreviewRequest<Program>,
): Promise<PreviewResult> {
  // a stack has one program at a server: this one must not be in the way of a run
  const programs = new ProgramServer();
  const work = onStack<Program, PreviewResult>({ ...shared, programs }, request, {
    // it must show all that would happen
    protection: "unprotected",
    act: async ({ stack, session, report }) => {
      const steps = new Steps((text) => report.mask(text));
      const heard = session.listen((event) => {
        report.accept(event);
        steps.accept(event);
      });
      const observed = { ...quiet, ...heard, refresh: request.refresh ?? false };
      if (request.program === undefined) await stack.previewDestroy(observed);
      else await stack.preview(observed);
      return { kind: "succeeded", steps: steps.all, harmful: harmfulIn(steps.all) };
    },
    failed: ({ kind, problem }) => Promise.resolve({ kind: kind === "refused" ? "failed" : kind, problem }),
  });
  return work.finally(() => programs.close());
}

/** What a run works with. */
interface Opened {
  readonly stack: Stack;
  readonly session: Session;
  readonly report: RunReport;
}

interface Work<Result> {
  readonly protection: Protection;
  readonly act: (opened: Opened) => Promise<Result>;
  /** What to answer when `act` threw; without a session where it never began. */
  readonly failed: (failure: Failure, session?: Session) => Promise<Result>;
}

/** Hosts the program, opens a session for the stack, lets `act` work with it, and closes both. */
async function onStack<Program, Result>(
  shared: SharedOptions<Program>,
  request: PreviewRequest<Program>,
  { protection, act, failed }: Work<Result>,
): Promise<Result> {
  const checkpoint = await checkpointFor(request, protection, shared);
  if (checkpoint === undefined) {
    const problem = { message: "the stored state is not a Pulumi checkpoint", resource: undefined };
    return failed({ kind: "corrupt", problem });
  }
  const { program, stack: name, existing } = request;
  const report = new RunReport(program === undefined ? [] : shared.secretsOf(program));
  const deadline = AbortSignal.timeout(shared.deadlineMs ?? longestRunMs);
  const signal = AbortSignal.any([deadline, request.signal].filter((given) => given !== undefined));
  let session: Session | undefined;
  try {
    using hosted = await shared.programs.host(name, program === undefined ? noProgram : shared.toPulumi(program));
    session = await shared.pulumi.open({ stack: name, checkpoint, program: hosted.address, existing, signal });
    const stack = await Stack.select(name, await LocalWorkspace.create(session.workspace));
    return await act({ stack, session, report });
  } catch (error) {
    return await failed(failureOf(error, deadline, report), session);
  } finally {
    await session?.close();
  }
}

async function checkpointFor<Program>(
  { stack, checkpoint }: PreviewRequest<Program>,
  protection: Protection,
  { salt }: SharedOptions<Program>,
): Promise<ReadableCheckpoint | undefined> {
  if (checkpoint === undefined) return emptyCheckpoint(stack, await salt());
  return readCheckpoint(checkpoint, stack, protection);
}

type Failure = { kind: "failed" | "refused" | "timedOut" | "corrupt"; problem: Problem };

function failureOf(error: unknown, deadline: AbortSignal, report: RunReport): Failure {
  if (deadline.aborted) return { kind: "timedOut", problem: report.problem("Pulumi did not finish in time") };
  const problem = report.problem(reasonOf(error));
  if (error instanceof PulumiError && error.isCorrupt) return { kind: "corrupt", problem };
  if (!isOfProtection(problem)) return { kind: "failed", problem };
  return { kind: "refused", problem: { ...problem, message: replacement } };
}

const replacement = "it would have to be replaced, which would stop all members at once; a preview shows the fields";

/** The engine's words where it will not replace or delete a protected resource: it has no code for it. */
function isOfProtection({ message }: Problem): boolean {
  return /marked for protection|because it is protected/.test(message);
}

function reasonOf(error: unknown): string {
  if (error instanceof PulumiError) return error.reason;
  return error instanceof Error ? error.message : String(error);
}

/** What no process reads is not printed. */
const quiet = { color: "never", suppressOutputs: true, suppressProgress: true } as const;
