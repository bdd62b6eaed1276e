// The operator as a process of its own, as `make run` starts it.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { eventually } from "./eventually";

/** One line of the operator's log. */
const LogLine = z.looseObject({ msg: z.string().default(""), level: z.number().default(0) });
export type LogLine = z.infer<typeof LogLine>;

export interface OperatorProcess {
  readonly pid: number;
  readonly log: readonly LogLine[];
  /** Where its runs have their private directories. */
  readonly workDirectory: string;
  /** Text of /metrics. */
  metrics(): Promise<string>;
  /** Status code of a path on the health port. */
  probe(path: string): Promise<number>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export interface OperatorOptions {
  /** PATH with the tools, KUBECONFIG. */
  readonly environment: Readonly<Record<string, string>>;
  /** Kept from a dead operator, to see that its leftovers are swept. Default: a new one. */
  readonly workDirectory?: string;
}

/** Starts the operator and returns when its watches are up. */
export async function startOperatorProcess(options: OperatorOptions): Promise<OperatorProcess> {
  const workDirectory = options.workDirectory ?? (await mkdtemp(join(tmpdir(), "operator-test-")));
  const child = spawn(process.execPath, ["--import", "tsx", join(__dirname, "../../operator/main.ts")], {
    env: {
      HOME: process.env["HOME"],
      ...options.environment,
      DATABASE_OPERATOR_WORK_DIRECTORY: workDirectory,
      DATABASE_OPERATOR_HEALTH_PORT: "0",
      DATABASE_OPERATOR_METRICS_PORT: "0",
      DATABASE_OPERATOR_LOG_LEVEL: "debug",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = collectLog(child);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const listening = await eventually(() => found(child, log, "listening"));
  await eventually(() => found(child, log, "watching"));
  const { health, metrics } = z.object({ health: z.number(), metrics: z.number() }).parse(listening);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return {
    pid: child.pid ?? 0,
    log,
    workDirectory,
    metrics: async () => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text(),
    probe: async (path) => (await fetch(`http://127.0.0.1:${health}${path}`)).status,
    async stop() {
      const code = await end("SIGTERM");
      await rm(workDirectory, { recursive: true, force: true });
      return code;
    },
    async kill() {
      await end("SIGKILL");
    },
  };
}

function collectLog(child: ChildProcess): LogLine[] {
  const log: LogLine[] = [];
  const take = (line: string): void => {
    log.push(LogLine.parse(line.startsWith("{") ? JSON.parse(line) : { msg: line }));
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", take);
  }
  return log;
}

function found(child: ChildProcess, log: readonly LogLine[], msg: string): LogLine {
  if (child.exitCode !== null) throw new Error(`the operator ended: ${log.map((line) => line.msg).join("\n")}`);
  const line = log.find((candidate) => candidate.msg === msg);
  if (line === undefined) throw new Error(`the operator has not said "${msg}" yet`);
  return line;
}

/** How many runs of a Database's stack succeeded, going by the log. */
export function runsIn(operator: OperatorProcess, key: string): number {
  return operator.log.filter((line) => line.msg === "stack run succeeded" && line["database"] === key).length;
}
