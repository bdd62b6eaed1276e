// Installs the platform into a development cluster by `pulumi up`, with a backend that lives and dies with the cluster.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { run, type Log } from "../host/command";

/** The project's root, where Pulumi.yaml is. */
export const projectRoot = join(__dirname, "../..");

/** The stack of a cluster on your own machine, and its passphrase: it holds no secret. */
export const localStack = { name: "local", passphrase: "local" } as const;

export interface PlatformOptions {
  /** PATH with pulumi, its plugins and Node, and KUBECONFIG. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where the Pulumi state of the platform is kept. */
  readonly directory: string;
  /** Catalogue to install. Default: the one that stacks/Pulumi.local.yaml names. */
  readonly catalogueFile?: string;
  /** Settings of the stack beside those of stacks/Pulumi.local.yaml, without their namespace. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether what is in the cluster is looked at first: what was removed is created again. Default: false. */
  readonly refresh?: boolean;
  readonly log?: Log;
  /** Default: `up`. */
  readonly command?: "up" | "destroy";
}

/** Variables under which every `pulumi` command finds the platform's stack. */
export function platformEnvironment(
  options: Pick<PlatformOptions, "environment" | "directory">,
): Record<string, string> {
  return {
    ...options.environment,
    PULUMI_BACKEND_URL: `file://${options.directory}`,
    PULUMI_HOME: join(options.directory, "home"),
    PULUMI_CONFIG_PASSPHRASE: localStack.passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

/** Runs `pulumi up` (or `destroy`) of the stack `local`; returns what it printed. Throws with the end of its output. */
export async function runPlatform(options: PlatformOptions): Promise<string> {
  const { directory, log, command = "up", refresh = false } = options;
  await mkdir(directory, { recursive: true });
  const env = platformEnvironment(options);
  const pulumi = (...args: string[]): Promise<string> =>
    run("pulumi", [...args, "--non-interactive"], { cwd: projectRoot, env, log });
  const stacks = StackList.parse(JSON.parse(await pulumi("stack", "ls", "--json")));
  if (!stacks.some(({ name }) => name === localStack.name))
    await pulumi("stack", "init", localStack.name, "--no-select");
  const isCommitted = options.catalogueFile === undefined && options.settings === undefined;
  const config = isCommitted ? [] : ["--config-file", await configFile(options)];
  const how = ["--yes", "--skip-preview", "--suppress-progress", ...(refresh ? ["--refresh"] : [])];
  return pulumi(command, "--stack", localStack.name, ...how, ...config);
}

const StackList = z.array(z.object({ name: z.string() }));
const StackFile = z.looseObject({ config: z.record(z.string(), z.unknown()) });

/** The stack's configuration with other settings, written outside of the work tree. */
async function configFile({ catalogueFile, settings = {}, directory }: PlatformOptions): Promise<string> {
  const committed = join(projectRoot, "stacks", `Pulumi.${localStack.name}.yaml`);
  const stack = StackFile.parse(parse(await readFile(committed, "utf8")));
  const others = { ...settings, ...(catalogueFile !== undefined && { catalogueFile }) };
  for (const [key, value] of Object.entries(others)) stack.config[`database-operator:${key}`] = value;
  const file = join(directory, `Pulumi.${localStack.name}.yaml`);
  await writeFile(file, stringify(stack));
  return file;
}
