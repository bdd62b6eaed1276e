// `kubectl database-operator` as people use it: the built file, run by kubectl, by users with rights of their own.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { buildPlugin } from "../../tools/plugin/build";
import { cacheFor } from "./kubectl";
import { newPerson } from "./people";
import type { PlatformCluster } from "./platform-cluster";

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface As {
  /** The user; by default `view`. */
  readonly role?: string;
  readonly input?: unknown;
}

export interface PluginUsers {
  /** Where their kubeconfigs are, by the name of the user. */
  readonly directory: string;
  /** A user who has these roles in the namespace, and nothing else. */
  user(name: string, roles?: readonly string[]): Promise<void>;
  /** `kubectl` with the plugin on PATH. */
  kubectl(args: readonly string[], as?: As): Promise<Ended>;
  /** One line behind `kubectl database-operator`. */
  plugin(line: string, as?: As): Promise<Ended>;
  remove(): Promise<void>;
}

/** Makes the namespace, where there is none of that name, and builds the plugin. */
export async function pluginUsers(platform: PlatformCluster, namespace: string): Promise<PluginUsers> {
  const directory = await mkdtemp(join(tmpdir(), "plugin-test-"));
  await buildPlugin(join(directory, "bin"));
  await platform.kubectl.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const kubectl: PluginUsers["kubectl"] = (args, { role = "view", input } = {}) => {
    const KUBECONFIG = join(directory, role);
    const PATH = [join(directory, "bin"), platform.environment["PATH"] ?? ""].join(delimiter);
    const env = { ...process.env, ...platform.environment, KUBECONFIG, PATH, ...cacheFor({ KUBECONFIG }) };
    return ended(args, { env, cwd: directory }, input === undefined ? "" : JSON.stringify(input));
  };
  return {
    directory,
    kubectl,
    plugin: (line, as) => kubectl(["database-operator", ...line.split(" ")], as),
    async user(name, roles = [name]) {
      const kubeconfig = await newPerson(platform.kubectl, { name, namespace, roles });
      await writeFile(join(directory, name), kubeconfig, { mode: 0o600 });
      await kubectl(["config", "set-context", "--current", `--namespace=${namespace}`], { role: name });
    },
    remove: () => rm(directory, { recursive: true }),
  };
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

function ended(args: readonly string[], surroundings: Surroundings, input: string): Promise<Ended> {
  const child = spawn("kubectl", args, surroundings);
  const printed = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.err += text));
  child.stdin.on("error", () => undefined).end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code, ...printed });
    });
  });
}
