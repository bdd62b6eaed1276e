// How the Automation API runs the Pulumi CLI here: in a process group of its own, and only where
// a process is needed at all.
import { spawn } from "node:child_process";
import { PulumiCommand } from "@pulumi/pulumi/automation";

/**
 * The operator's own variables reach the CLI, as a kubeconfig may call programs that need them; Pulumi's and Node's do not:
 * a run is told everything explicitly.
 */
const withheld = /^(PULUMI_|NODE_)/;

/** Time that a run which was told to stop has before it is killed, in milliseconds. */
const graceMs = 30_000;

/** What a command printed, in the shape that the Automation API reads. */
interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** The CLI ended with a status other than 0. Its output may hold secrets: it is not part of the message. */
export class PulumiCommandError extends Error {
  constructor(
    readonly exitCode: number,
    readonly stderr: string,
  ) {
    super(`pulumi ended with status ${exitCode}`);
    this.name = "PulumiCommandError";
  }
}

/** Finds the CLI on PATH and checks its version. Throws when there is no `pulumi`, or one too old. */
export async function findPulumiCommand(): Promise<PulumiCommand> {
  return PulumiCommand.get().catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message.split("\n").find((line) => line.trim() !== "") : undefined;
    throw new Error(`cannot use the pulumi CLI (${why ?? "no reason given"}): put one of a fitting version on PATH`, {
      cause,
    });
  });
}

/**
 * The command as one run uses it: `signal` ends each of its processes. The Automation API asks for outputs, history and
 * the current stack after every run; nobody here reads them, so they are answered without a process.
 */
export function commandFor(command: PulumiCommand, signal: AbortSignal): PulumiCommand {
  // `run` is the one method that the Automation API calls; it is internal and missing from the type
  const run = (args: string[], cwd: string, env: Record<string, string>): Promise<CommandOutput> =>
    answerFor(args) ?? execute(command.command, args, { cwd, env, signal });
  return new Proxy(command, {
    get: (target, name): unknown => (name === "run" ? run : Reflect.get(target, name)),
  });
}

function answerFor(args: readonly string[]): Promise<CommandOutput> | undefined {
  if (args[0] !== "stack") return undefined;
  const answers: Record<string, string> = { select: "", output: "{}", history: "[]" };
  const stdout = answers[args[1] ?? ""];
  return stdout === undefined ? undefined : Promise.resolve({ stdout, stderr: "", code: 0 });
}

interface RunContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

function execute(command: string, args: readonly string[], context: RunContext): Promise<CommandOutput> {
  const base = Object.fromEntries(Object.entries(process.env).filter(([name]) => !withheld.test(name)));
  const child = spawn(command, [...args, "--non-interactive"], {
    cwd: context.cwd,
    env: { ...base, ...context.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const stopKilling = stopOn(context.signal, child.pid);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      stopKilling();
      if (code === 0) resolve({ ...output, code });
      else reject(new PulumiCommandError(code ?? -1, signal ? `killed by ${signal}` : output.stderr));
    });
  });
}

/** SIGINT lets the engine finish the request in flight and save its state; what still runs after the grace is killed. */
function stopOn(signal: AbortSignal, pid: number | undefined): () => void {
  if (pid === undefined) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const abort = (): void => {
    signalTo(pid, "SIGINT");
    timer = setTimeout(() => {
      signalTo(-pid, "SIGKILL");
    }, graceMs);
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended by itself in between
  }
}
