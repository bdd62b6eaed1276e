// The demo's operator: in the cluster where nodes run containers, else a process on this machine.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { defaultNamespace } from "../../contract/platform";
import { layoutOf } from "../cluster/layout";
import { openProcesses } from "../cluster/processes";
import { compiled, nodeArguments } from "../compile/compile";
import { freePorts } from "../host/ports";
import { projectRoot } from "../platform/platform";
import type { Session } from "./session";
import type { Provided } from "./setup";

const name = "operator";

/** Sees to it that an operator runs, for as long as the cluster. Returns the command that shows its log. */
export async function provideOperator(session: Session, { operatorImage }: Provided): Promise<string> {
  return operatorImage === undefined ? await startProcess(session) : await awaitDeployment(session);
}

/** What `pulumi up` deployed. */
async function awaitDeployment(session: Session): Promise<string> {
  const { cluster, progress } = session;
  await progress.step("operator: two pods, of which one leads", async () => {
    // of a demo with simulated nodes on this cluster
    await openProcesses(layoutOf(cluster.directory)).stop(name, { graceSeconds: 60 });
    await session.kubectl([
      "rollout",
      "status",
      "deployment/database-operator",
      "-n",
      defaultNamespace,
      "--timeout=300s",
    ]);
  });
  return `kubectl logs -f --prefix -n ${defaultNamespace} -l app.kubernetes.io/component=operator`;
}

/** As `make run` would, in the background: simulated nodes run no containers. */
async function startProcess({ cluster, environment, progress }: Session): Promise<string> {
  const layout = layoutOf(cluster.directory);
  const processes = openProcesses(layout);
  await progress.step("operator, as a process outside of the cluster", async () => {
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
  return `tail -f ${join(layout.logs, `${name}.log`)}`;
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
