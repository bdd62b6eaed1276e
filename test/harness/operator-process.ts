// The operator as a process of its own, as `make run` starts it.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { nodeArguments } from "../../tools/compile/compile";
import { notedPhase } from "../runner/phases";
import { compiledPrograms } from "./compiled";
import type { End } from "../judges/invariants/alive";
import { eventually, minutes } from "./eventually";
import { keepLine } from "./evidence";
import { presentWitness } from "./witness";

/** One line of the operator's log. */
const LogLine = z.looseObject({ msg: z.string().default(""), level: z.number().default(0) });
export type LogLine = z.infer<typeof LogLine>;

export interface OperatorProcess {
  readonly pid: number;
  readonly log: readonly LogLine[];
  /** Where its runs have their private directories. */
  readonly workDirectory: string;
  /** `host:port` of its metrics. */
  readonly metricsAddress: string;
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
  /** A compiled operator in place of the one that the sources make. */
  readonly program?: string;
}

/** Starts the operator and returns when its watches are up. */
export async function startOperatorProcess(options: OperatorOptions): Promise<OperatorProcess> {
  const workDirectory = options.workDirectory ?? (await mkdtemp(join(tmpdir(), "operator-test-")));
  // beside the work directory, so that temporary files of the operator and its programs can be distinguished from others'
  const temporary = `${workDirectory}.tmp`;
  await mkdir(temporary, { recursive: true });
  const operator = options.program ?? (await compiledPrograms()).operator;
  const startedAt = Date.now();
  const child = spawn(process.execPath, [...nodeArguments, operator], {
    env: {
      HOME: process.env["HOME"],
      TMPDIR: temporary,
      // the tests hold over either: `make test DATABASE_OPERATOR_PULUMI=cli`
      DATABASE_OPERATOR_PULUMI: process.env["DATABASE_OPERATOR_PULUMI"],
      // the successor of one that is killed would wait for its lease to run out
      DATABASE_OPERATOR_LEADER_ELECTION: "false",
      ...options.environment,
      DATABASE_OPERATOR_WORK_DIRECTORY: workDirectory,
      DATABASE_OPERATOR_HEALTH_PORT: "0",
      DATABASE_OPERATOR_METRICS_PORT: "0",
      DATABASE_OPERATOR_LOG_LEVEL: "debug",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { log, lines } = collectLog(child);
  // where this process ends first, as by ^C, nothing else would end it
  const endWithUs = (): void => void child.kill("SIGKILL");
  process.once("exit", endWithUs);
  const told: NodeJS.Signals[] = [];
  const exited = new Promise<Pick<End, "code" | "signal">>((resolve) => {
    child.once("exit", (code, signal) => {
      process.off("exit", endWithUs);
      resolve({ code, signal });
    });
  });
  const watching = untilSaid({ child, log }, "watching", "listening").catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  const listening = await notedPhase("operator", () => watching);
  const pid = child.pid ?? 0;
  const following = presentWitness()?.follow({
    ...{ pid, lines, directories: [workDirectory, temporary] },
    ...{ program: operator, startedAt },
  });
  void exited.then((how) => following?.ended({ ...how, told: [...told] }));
  const { health, metrics } = z.object({ health: z.number(), metrics: z.number() }).parse(listening);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    told.push(signal);
    child.kill(signal);
    return (await exited).code;
  };
  const metricsAddress = `127.0.0.1:${metrics}`;
  return {
    ...{ pid, log, workDirectory, metricsAddress },
    metrics: async () => (await fetch(`http://${metricsAddress}/metrics`)).text(),
    probe: async (path) => (await fetch(`http://127.0.0.1:${health}${path}`)).status,
    async stop() {
      const code = await end("SIGTERM");
      // one that was killed, or lost its lease, had no time to tidy up
      if (code === 0) await following?.stopped();
      for (const directory of [workDirectory, temporary]) await rm(directory, { recursive: true, force: true });
      return code;
    },
    async kill() {
      await end("SIGKILL");
    },
  };
}

function collectLog(child: ChildProcess): { log: LogLine[]; lines: string[] } {
  const log: LogLine[] = [];
  const lines: string[] = [];
  const take = (line: string): void => {
    lines.push(line);
    keepLine(child.pid ?? 0, line);
    log.push(LogLine.parse(line.startsWith("{") ? JSON.parse(line) : { msg: line }));
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", take);
  }
  return { log, lines };
}

/** Waits until the operator has said `last`, and returns the line that says `wanted`. It starts slowly on a busy machine. */
async function untilSaid(
  { child, log }: { readonly child: ChildProcess; readonly log: readonly LogLine[] },
  last: string,
  wanted: string,
): Promise<LogLine> {
  const said = (msg: string): LogLine | undefined => log.find((line) => line.msg === msg);
  await eventually(() => {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (!isOver && said(last) === undefined) throw new Error(`the operator has not said "${last}" yet`);
  }, minutes(2));
  const line = said(last) && said(wanted);
  if (line === undefined) throw new Error(`the operator ended: ${log.map(({ msg }) => msg).join("\n")}`);
  return line;
}

/** How many runs of a Database's stack succeeded, going by the log. */
export function runsIn(operator: OperatorProcess, key: string): number {
  return operator.log.filter((line) => line.msg === "stack run succeeded" && line["database"] === key).length;
}
