// What the demo's steps share: the cluster, its programs, and how commands and their output are shown.
import { delimiter, dirname } from "node:path";
import pc from "picocolors";
import { toolsOnPath } from "../build/build";
import { startCluster, type Cluster } from "../cluster/cluster";
import type { NodeChoice } from "../cluster/nodes/choose";
import { run } from "../host/command";
import { buildPlugin } from "../plugin/build";
import { durationText, progressOn, type Progress } from "../progress";

export interface Session {
  readonly cluster: Cluster;
  readonly progress: Progress;
  /** PATH with the tools and the plugin first, and KUBECONFIG. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs kubectl, showing neither command nor output. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Runs kubectl as a person would see it: the command, then what it prints. */
  show(...args: string[]): Promise<void>;
  /** Prints how long the chapter before took, if there was one, and a heading. */
  chapter(title: string): void;
}

export interface SessionOptions {
  readonly name: string;
  readonly nodes: NodeChoice;
  readonly signal: AbortSignal;
}

/** Builds what is missing, starts the cluster or finds it running, and opens a session on it. */
export async function openSession({ name, nodes, signal }: SessionOptions): Promise<Session> {
  const progress = progressOn(process.stdout);
  progress.line(pc.bold("Tools and cluster"));
  const bin = await toolsOnPath({ progress, signal });
  const plugin = await progress.step("kubectl plugin", () => buildPlugin());
  const cluster = await startCluster({ name, nodes, progress, signal });
  const environment = {
    PATH: [bin, dirname(plugin.program), process.env["PATH"] ?? ""].join(delimiter),
    KUBECONFIG: cluster.kubeconfig,
  };
  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    run("kubectl", args, { env: environment, signal, ...(input === undefined ? {} : { input }) });
  let began: number | undefined;
  return {
    cluster,
    progress,
    environment,
    kubectl,
    async show(...args) {
      progress.line(pc.cyan(`$ kubectl ${args.map(quoted).join(" ")}`));
      const printed = (await kubectl(args)).trimEnd();
      for (const line of (printed === "" ? "(nothing)" : printed).split("\n")) progress.line(`  ${line}`);
    },
    chapter: (title) => {
      if (began !== undefined) progress.line(pc.dim(`  in ${durationText(performance.now() - began)}`));
      began = performance.now();
      progress.line(`\n${pc.bold(title)}`);
    },
  };
}

const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text}'`);
