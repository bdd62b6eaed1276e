// How the Automation API runs the Pulumi CLI here: in a process group of its own, and only where
// a process is needed at all.
import { spawn } from "node:child_process";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { answerFor, type CommandOutput } from "../answers";
import { operatorsOwn } from "../environment";
import { escalateOn } from "../escalation";
import { signalTo } from "../processes";
import { PulumiError } from "../pulumi";

/** Time that a run which was asked to stop has before it is killed, in milliseconds. */
const graceMs = 30_000;

/** The key with which a state was encrypted is gone, or what it encrypted is damaged: the state is of no use any more. */
const undecipherable = /incorrect passphrase|message authentication failed|snapshot integrity/;

function failureOf(exitCode: number, stderr: string): PulumiError {
  const message = `pulumi ended with status ${exitCode}`;
  const reason = stderr.split("\n").find((line) => line.startsWith("error:"));
  return new PulumiError(message, reason ?? message, undecipherable.test(stderr));
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

export interface CommandUse {
  /** Where the program is hosted, as `host:port`. */
  readonly program: string;
  readonly signal: AbortSignal;
  /** Notified of each process that is started. */
  readonly onProcess: () => void;
}

/** The command as one run uses it: each of its processes runs `program`, and `signal` ends it. */
export function commandFor(command: PulumiCommand, { program, signal, onProcess }: CommandUse): PulumiCommand {
  // `run` is the one method that the Automation API calls; it is internal and missing from the type
  const run = (args: string[], cwd: string, env: Record<string, string>): Promise<CommandOutput> =>
    answerFor(args) ?? execute(command.command, [...args, `--client=${program}`], { cwd, env, signal, onProcess });
  return new Proxy(command, {
    get: (target, name): unknown => (name === "run" ? run : Reflect.get(target, name)),
  });
}

interface RunContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onProcess: () => void;
}

function execute(command: string, args: readonly string[], context: RunContext): Promise<CommandOutput> {
  const child = spawn(command, [...args, "--non-interactive"], {
    cwd: context.cwd,
    env: { ...operatorsOwn(process.env), ...context.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  context.onProcess();
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const stopKilling = stopOn(context.signal, child.pid);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      stopKilling();
      if (code === 0) resolve({ ...output, code });
      else reject(failureOf(code ?? -1, signal ? `error: killed by ${signal}` : output.stderr));
    });
  });
}

/** SIGINT lets the engine finish the request in flight and save its state; what still runs after the grace is killed. */
function stopOn(signal: AbortSignal, pid: number | undefined): () => void {
  if (pid === undefined) return () => undefined;
  const interrupt = (): void => {
    signalTo(pid, "SIGINT");
  };
  const kill = (): void => {
    signalTo(-pid, "SIGKILL");
  };
  return escalateOn(signal, interrupt, [{ afterMs: graceMs, act: kill }]);
}
