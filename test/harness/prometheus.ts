// A real Prometheus, Debian's, that scrapes what a test names and evaluates rules; and promtool, which judges both.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { run, type CommandOptions } from "../../tools/host/command";
import { ensurePackages } from "../../tools/host/packages";
import { freePorts } from "../../tools/host/ports";
import { eventually, minutes } from "./eventually";

/** Where something serves metrics. */
export interface ScrapeTarget {
  readonly job: string;
  /** `host:port`. */
  readonly address: string;
  /** Labels of all its series, as a ServiceMonitor gives them. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** One series of an answer. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** An alert that is pending or fires. */
export interface ActiveAlert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A rule, and how its last evaluation went. */
export interface EvaluatedRule {
  readonly name: string;
  /** `ok`, `err` or `unknown`. */
  readonly health: string;
}

export interface Prometheus {
  /** The instant vector that `expression` yields now. Throws where it is none. */
  query(expression: string): Promise<readonly Sample[]>;
  alerts(): Promise<readonly ActiveAlert[]>;
  rules(): Promise<readonly EvaluatedRule[]>;
  stop(): Promise<void>;
}

/** A directory with the kinds ServiceMonitor and PrometheusRule of the Prometheus operator 0.85. */
export const prometheusKinds = join(__dirname, "prometheus-operator-crds");

/** Installs what is missing. Throws, saying what to install by hand, where it cannot. */
export async function ensurePrometheus(): Promise<void> {
  const wanted = ["prometheus", "promtool"].map((provides) => ({ name: "prometheus", provides }));
  await ensurePackages(wanted, (line) => {
    console.error(line);
  });
}

export interface PromtoolOptions extends Pick<CommandOptions, "input" | "log"> {
  /** What they hold, by name; written as YAML. */
  readonly files?: Readonly<Record<string, unknown>>;
}

/** Runs promtool on `files`, by name, in a directory of its own. Throws with its words where it finds fault. */
export async function promtool(
  args: readonly string[],
  { files = {}, ...options }: PromtoolOptions = {},
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "promtool-"));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), stringify(content));
    return await run("promtool", args, { cwd: directory, ...options });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Scrapes `targets` and evaluates `rules`, the content of a rule file, once a second. */
export async function startPrometheus(targets: readonly ScrapeTarget[], rules: unknown): Promise<Prometheus> {
  await ensurePrometheus();
  const directory = await mkdtemp(join(tmpdir(), "prometheus-"));
  await writeFile(join(directory, "rules.yaml"), stringify(rules));
  await writeFile(join(directory, "prometheus.yaml"), stringify(configurationOf(targets)));
  const [port] = await freePorts();
  const address = `127.0.0.1:${port}`;
  const flags = ["--config.file=prometheus.yaml", "--storage.tsdb.path=data", `--web.listen-address=${address}`];
  const child = spawn("prometheus", [...flags, "--log.level=warn"], { cwd: directory, stdio: ["ignore", 2, 2] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const end = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  const ask = async (path: string): Promise<unknown> => (await fetch(`http://${address}${path}`)).json();
  try {
    await eventually(async () => {
      const { status } = await fetch(`http://${address}/-/ready`);
      if (status !== 200) throw new Error(`Prometheus answers ${status}`);
    }, minutes(1));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    query: async (expression) => samplesIn(await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`)),
    alerts: async () => Alerts.parse(await ask("/api/v1/alerts")).data.alerts,
    rules: async () => Rules.parse(await ask("/api/v1/rules")).data.groups.flatMap((group) => group.rules),
    stop: end,
  };
}

function configurationOf(targets: readonly ScrapeTarget[]): unknown {
  const jobs = Map.groupBy(targets, ({ job }) => job);
  return {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: ["rules.yaml"],
    scrape_configs: [...jobs].map(([job, ofJob]) => ({
      job_name: job,
      honor_labels: true,
      static_configs: ofJob.map(({ address, labels = {} }) => ({ targets: [address], labels })),
    })),
  };
}

const Labels = z.record(z.string(), z.string());
const Answer = z.object({
  status: z.literal("success"),
  data: z.object({
    resultType: z.literal("vector"),
    result: z.array(z.object({ metric: Labels, value: z.tuple([z.number(), z.string()]) })),
  }),
});
const Alerts = z.object({
  data: z.object({ alerts: z.array(z.object({ state: z.string(), labels: Labels, annotations: Labels })) }),
});
const Rules = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })),
  }),
});

function samplesIn(answer: unknown): Sample[] {
  const parsed = Answer.safeParse(answer);
  if (!parsed.success) throw new Error(`Prometheus answers ${JSON.stringify(answer)}`);
  return parsed.data.data.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
}
