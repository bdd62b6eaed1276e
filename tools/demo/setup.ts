// The demo's first half: images, platform, operator.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { layoutOf } from "../cluster/layout";
import { openNodeImages } from "../cluster/nodes/real/real-nodes";
import { openProcesses } from "../cluster/processes";
import { compiled, nodeArguments } from "../compile/compile";
import { freePorts } from "../host/ports";
import { buildImages, catalogueFile } from "../images/build";
import { loadImages } from "../images/load";
import { projectRoot, runPlatform } from "../platform/platform";
import type { Session } from "./session";

/** Versions that simulated nodes pretend to run; they pull no images. */
const simulatedCatalogue = { postgresql: { "17.12": { image: "simulated.invalid/postgresql:17.12" } } };

/** Builds the images and loads them into the node; on simulated nodes a made-up catalogue does. Returns the catalogue's file. */
export async function provideImages({ cluster, progress }: Session): Promise<string> {
  if (cluster.nodes === "simulated") {
    const file = join(cluster.directory, "catalogue.json");
    await writeFile(file, JSON.stringify(simulatedCatalogue));
    return file;
  }
  const node = await openNodeImages(cluster.directory);
  const images = await progress.step("images: PostgreSQL under Patroni, from Debian packages", (log) =>
    buildImages({ log }),
  );
  await progress.step("images into the node", (log) => loadImages(node, images, log));
  return catalogueFile();
}

/** `pulumi up` at the project's root. */
export async function installPlatform(session: Session, catalogue: string): Promise<void> {
  const { cluster, environment, progress } = session;
  await progress.step("pulumi up: custom resource, namespace, permissions, catalogue", (log) =>
    runPlatform({ environment, directory: join(cluster.directory, "platform"), catalogueFile: catalogue, log }),
  );
}

export interface RunningOperator {
  readonly logFile: string;
}

/** Starts the operator as `make run` would, in the background and for as long as the cluster. */
export async function startOperator({ cluster, environment, progress }: Session): Promise<RunningOperator> {
  const layout = layoutOf(cluster.directory);
  const processes = openProcesses(layout);
  const name = "operator";
  await progress.step("operator", async () => {
    await processes.stop(name, { graceSeconds: 60 });
    const { operator } = await compiled();
    const [health, metrics] = await freePorts();
    const workDirectory = join(cluster.directory, "runs");
    await mkdir(workDirectory, { recursive: true });
    processes.start({
      name,
      command: join(projectRoot, "node_modules/.bin/node"),
      args: [...nodeArguments, operator],
      cwd: projectRoot,
      env: {
        ...environment,
        DATABASE_OPERATOR_HEALTH_PORT: String(health),
        DATABASE_OPERATOR_METRICS_PORT: String(metrics),
        DATABASE_OPERATOR_WORK_DIRECTORY: workDirectory,
      },
    });
    await untilReady(health, () => {
      if (!processes.isRunning(name)) throw new Error(`the operator ended:\n${processes.tail(name)}`);
    });
  });
  return { logFile: join(layout.logs, `${name}.log`) };
}

async function untilReady(port: number, checkAlive: () => void): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const status = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    checkAlive();
    if (Date.now() > deadline) throw new Error("the operator is not ready after 60 s");
    await delay(100);
  }
}
