// The operator's process: reads its settings, starts, and stops on SIGTERM or SIGINT.
import { KubeConfig } from "@kubernetes/client-node";
import { pino, type Logger } from "pino";
import { previewResource } from "../contract/resources";
import { readConfig } from "./config";
import { startOperator } from "./wiring/operator";

const help = `Usage: database-operator

Watches Database objects in the cluster of the current kubeconfig (or of its own pod) and runs one Pulumi stack for each.

Environment:
  KUBECONFIG                               kubeconfig file outside a cluster
  DATABASE_OPERATOR_NAMESPACE              where state and passwords are kept (database-operator-system)
  DATABASE_OPERATOR_WATCH_NAMESPACES       the namespaces whose Databases count, separated by commas (all)
  DATABASE_OPERATOR_WORKERS                Pulumi runs at the same time (4; over the CLI 2)
  DATABASE_OPERATOR_PULUMI                 auto (resident where pulumi-resident is on PATH), resident or cli (auto)
  DATABASE_OPERATOR_RUN_DEADLINE_SECONDS   longest Pulumi run (600)
  DATABASE_OPERATOR_WORK_DIRECTORY         parent of the runs' private directories (the system's temporary directory)
  DATABASE_OPERATOR_LEADER_ELECTION        true, or false where no other operator can run (true)
  DATABASE_OPERATOR_HEALTH_PORT            /healthz and /readyz (8081)
  DATABASE_OPERATOR_METRICS_PORT           /metrics (8080)
  DATABASE_OPERATOR_WEBHOOK_PORT           /convert and /validate over TLS, where the API server reaches them (0: off, v1 only)
  DATABASE_OPERATOR_WARNINGS_SECONDS       how long a change waits at most for warnings of its consequences (2; 0: there are none)
  DATABASE_OPERATOR_PREVIEW_API            true: previews are served at that port as ${previewResource.group} (false)
  DATABASE_OPERATOR_CHANGE_POLICY          spec.changePolicy of Databases that have none, as JSON (nothing waits)
  DATABASE_OPERATOR_RELEASE_POLICY         the same of what another release of the operator does to those, in addition (nothing waits)
  DATABASE_OPERATOR_APPROVALS              true where the API server has the policy that judges approvals (false: none counts)
  DATABASE_OPERATOR_APPROVER_MAY_BE_AUTHOR false: who changed a Database may not approve that (true)
  DATABASE_OPERATOR_CERTIFICATE_DAYS       how long certificates of Databases are good, as JSON (authority 3650, certificate 90, overlap 30)
  DATABASE_OPERATOR_LOG_LEVEL              trace, debug, info, warn or error (info)
`;

async function main(): Promise<void> {
  if (process.argv.includes("--help") || process.argv.includes("-h")) {
    process.stdout.write(help);
    return;
  }
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const told = stopSignal(log);
  const operator = await Promise.race([startOperator(config, kubeConfig, log), told]);
  if (operator === undefined) {
    // it has led nothing and begun nothing, and what it waits for may never answer
    log.info("stopped");
    process.exit(0);
  }
  const stopped = await Promise.race([told, operator.lost.then((why) => ({ why }))]);
  if (stopped !== undefined) {
    // another one leads: there is nothing left to do in order, and the next start is a candidate's
    log.error({ reason: stopped.why }, "leadership lost");
    process.exit(1);
  }
  await operator.stop();
  log.info("stopped");
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
function stopSignal(log: Logger): Promise<undefined> {
  return new Promise((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) {
      process.once(name, () => {
        log.info({ signal: name }, "stopping");
        resolve(undefined);
      });
    }
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
