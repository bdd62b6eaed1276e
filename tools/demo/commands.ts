// The command `demo`: from nothing to SQL, with every step shown.
import { readFile } from "node:fs/promises";
import { Command } from "commander";
import pc from "picocolors";
import { z } from "zod";
import { engineNames, type EngineName } from "../../contract/engines";
import { nodeOption } from "../cluster/commands";
import { interruptible } from "../interrupt";
import { durationText } from "../progress";
import { control } from "./control";
import { openSession, type Session } from "./session";
import { provideOperator } from "./operator";
import { installPlatform, provideImages } from "./setup";
import { goBack } from "./moment";
import { showMongodb, showMysql } from "./others";
import { backUp, change, create, remove, survive, useSql } from "./postgresql";

/** `demo [--name] [--nodes]`. */
export function demoCommand(): Command {
  return new Command("demo")
    .description(
      "Show the whole product: cluster, platform, operator, databases of each engine, SQL, lost primaries, changes, approvals, backup, a mistake undone, deletion.",
    )
    .option("--name <name>", "the cluster to use; it is started if it does not run", "default")
    .addOption(nodeOption())
    .action(async ({ name, nodes }: { name: string; nodes: "auto" | "real" | "simulated" }) => {
      await interruptible((signal) => demo({ name, nodes, signal }));
    });
}

const Catalogue = z.partialRecord(z.enum(engineNames), z.record(z.string(), z.unknown()));

async function demo(options: Parameters<typeof openSession>[0]): Promise<void> {
  const began = performance.now();
  const session = await openSession(options);
  const provided = await provideImages(session);
  const newest = await newestVersions(provided.catalogueFile);
  session.chapter("Platform");
  await installPlatform(session, provided);
  const showLog = await provideOperator(session, provided);
  const real = session.cluster.nodes === "real";
  if (!real)
    session.progress.line(pc.yellow("Nodes are simulated: pods exist in name only, so SQL and backups are left out."));
  await create(session, newest("postgresql"));
  if (real) {
    await useSql(session);
    await survive(session);
  }
  await change(session, real);
  if (real) {
    await control(session, newest("postgresql"));
    await backUp(session);
    await goBack(session, newest("postgresql"));
    await showMysql(session, newest("mysql"));
    await showMongodb(session, newest("mongodb"));
  }
  await remove(session);
  sayHowToGoOn(session, { showLog, seconds: performance.now() - began });
}

/** Answers the newest version of an engine. Throws where the catalogue has none. */
async function newestVersions(catalogueFile: string): Promise<(engine: EngineName) => string> {
  const catalogue = Catalogue.parse(JSON.parse(await readFile(catalogueFile, "utf8")));
  return (engine) => {
    const newest = Object.keys(catalogue[engine] ?? {})
      .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
      .at(-1);
    if (newest === undefined) throw new Error(`${catalogueFile} has no version of ${engine}: run \`make images\``);
    return newest;
  };
}

function sayHowToGoOn(session: Session, done: { readonly showLog: string; readonly seconds: number }): void {
  const { cluster, environment, progress } = session;
  const bin = environment["PATH"]?.split(":").slice(0, 2).join(":") ?? "";
  session.chapter(`Done in ${durationText(done.seconds)}. The cluster and the operator keep running. To continue:`);
  const lines = [
    `export KUBECONFIG=${cluster.kubeconfig} PATH=${bin}:$PATH`,
    "kubectl get db -A",
    "kubectl database-operator console    # the same in a browser",
    "kubectl exec -it -n production my-postgres-0 -c postgresql -- psql",
    `${done.showLog}    # the operator's log`,
    `make cluster-down${cluster.name === "default" ? "" : ` CLUSTER=${cluster.name}`}    # ends everything and removes it`,
  ];
  for (const line of lines) progress.line(`  ${line}`);
}
