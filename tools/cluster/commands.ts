// The commands `cluster up`, `cluster down` and `cluster list`.
import { Command, Option } from "commander";
import pc from "picocolors";
import { clustersDirectory } from "../directories";
import { interruptible } from "../interrupt";
import { durationText, progressOn } from "../progress";
import { startCluster } from "./cluster";
import { endCluster } from "./end";
import { type ClusterSummary, listClusters } from "./list";
import type { NodeChoice } from "./nodes/choose";

const DEFAULT_NAME = "default";

/** `cluster`: its subcommands. */
export function clusterCommand(): Command {
  return new Command("cluster")
    .description("Run Kubernetes clusters on this machine.")
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(listCommand());
}

/** `--nodes`, also read from NODES. */
export function nodeOption(): Option {
  return new Option(
    "--nodes <kind>",
    "real nodes run containers; simulated ones only say so; auto: real where possible",
  )
    .choices(["auto", "real", "simulated"])
    .env("NODES")
    .default("auto");
}

function upCommand(): Command {
  return new Command("up")
    .description("Start a cluster, or the missing parts of one. Prints how to use it.")
    .option("--name <name>", "name of the cluster", DEFAULT_NAME)
    .addOption(nodeOption())
    .action(async ({ name, nodes }: { name: string; nodes: NodeChoice }) => {
      await up(name, nodes);
    });
}

async function up(name: string, nodes: NodeChoice): Promise<void> {
  const progress = progressOn();
  const begin = performance.now();
  const cluster = await interruptible((signal) => startCluster({ name, nodes, progress, signal }));
  const time = durationText(performance.now() - begin);
  progress.line(
    cluster.wasRunning
      ? `Cluster ${name} is already running, with ${cluster.nodes} nodes.`
      : `Cluster ${pc.bold(name)} is up after ${time}, with ${cluster.nodes} nodes. API server: ${cluster.apiServer}`,
  );
  progress.line(`Logs and state: ${cluster.directory}`);
  console.log(`export KUBECONFIG=${cluster.kubeconfig}`);
}

function downCommand(): Command {
  return new Command("down")
    .description("End a cluster and remove everything that belongs to it, its data too.")
    .option("--name <name>", "name of the cluster", DEFAULT_NAME)
    .option("--all", "all clusters")
    .action(async ({ name, all }: { name: string; all?: true }) => {
      const clusters = await listClusters(clustersDirectory());
      const wanted = clusters.filter((cluster) => all === true || cluster.name === name);
      if (wanted.length === 0) console.error(all ? "There are no clusters." : `There is no cluster ${name}.`);
      for (const cluster of wanted) await down(cluster);
    });
}

async function down({ name, directory }: ClusterSummary): Promise<void> {
  const progress = progressOn();
  await endCluster(directory, progress, {
    onWait: ({ pid }) => {
      progress.line(`waiting for process ${pid}, which starts or ends cluster ${name}`);
    },
  });
  progress.line(`Cluster ${name} is gone.`);
}

function listCommand(): Command {
  return new Command("list").description("List the clusters of this machine.").action(async () => {
    const clusters = await listClusters(clustersDirectory());
    if (clusters.length === 0) console.error("There are no clusters. Start one: cluster up");
    else console.log(tableOf(clusters));
  });
}

function tableOf(clusters: readonly ClusterSummary[]): string {
  const rows = [
    ["NAME", "STATE", "NODES", "AGE", "KUBECONFIG"],
    ...clusters.map(({ name, state, nodes, ageMilliseconds, kubeconfig }) => [
      ...[name, state, nodes, ageMilliseconds === undefined ? "?" : durationText(ageMilliseconds), kubeconfig],
    ]),
  ];
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(width(column)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
