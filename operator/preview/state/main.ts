// `make state`: copies the stack that the operator runs for one Database to where plain Pulumi finds it.
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../../config";
import { parseDatabase } from "../../api/object";
import { readCheckpoint } from "../../checkpoint/checkpoint";
import type { Desired } from "../../domain/desired";
import type { StackRecord } from "../../domain/records";
import { stackOf } from "../../domain/stack-names";
import { kubeconfigOf } from "../../stack/environment";
import { findOnPath } from "../../stack/processes";
import { withRecorded } from "../../reconcile/recorded";
import { tlsBefore } from "../../reconcile/tls-before";
import { programFor } from "../program-for";
import { withGrown } from "../../reconcile/storage";
import { judge } from "../../reconcile/judge";
import { openCluster, type OpenCluster } from "../cluster";
import { openProxy } from "../proxy";
import { explained } from "../explained";
import { layOut, type Copy } from "./copy";
import { rootAbove } from "./root";

const help = `Usage: state <namespace>/<name>

Copies the Pulumi state of a Database, with its history and its program, into stacks/database/.state, so that
\`pulumi preview\`, \`pulumi stack\` and \`pulumi stack history\` work there. The copy holds passwords in clear.

Environment:
  KUBECONFIG                    the cluster; Secrets of the operator's namespace must be readable
  DATABASE_OPERATOR_NAMESPACE   where the operator keeps its states (database-operator-system)
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  const [key] = positionals;
  if (values.help === true) {
    process.stdout.write(help);
    return;
  }
  if (key === undefined || !/^[^/]+\/[^/]+$/.test(key)) throw new Error(`name a Database: namespace/name\n\n${help}`);
  const root = rootAbove(__dirname);
  const project = join(root, "stacks", "database");
  const { namespace } = readConfig(process.env);
  const copy = await collect(key, namespace).catch((error: unknown) => {
    throw new Error(explained(error, namespace), { cause: error });
  });
  const pulumi = await findOnPath("pulumi");
  const path = [join(root, "node_modules/.bin"), ...(pulumi === undefined ? [] : [dirname(pulumi)])];
  const directory = await layOut(copy, { project, path, kubeconfig: kubeconfigOf(process.env)["KUBECONFIG"] });
  process.stdout.write(told(key, copy, { project, directory }));
}

async function collect(key: string, namespace: string): Promise<Copy> {
  const proxy = await openProxy();
  try {
    const cluster = await openCluster(proxy, namespace);
    return await copyOf(key, cluster).finally(() => cluster.close());
  } finally {
    await proxy.close();
  }
}

async function copyOf(key: string, cluster: OpenCluster): Promise<Copy> {
  const stack = stackOf(key);
  const record = await cluster.records.load(key);
  const desired = await desiredOf(key, record, cluster);
  const checkpoint = record?.checkpoint === undefined ? undefined : readCheckpoint(record.checkpoint.text(), stack);
  if (record === undefined || checkpoint === undefined) {
    throw new Error(`there is no state of ${key} yet, or none that can be read`);
  }
  const tls = await tlsBefore(key, desired, record, cluster);
  const recorded = withRecorded(desired, { record, tls }, cluster.world.catalogue);
  const program = await programFor(key, withGrown(recorded, record), cluster);
  return { stack, program, checkpoint, history: record.history, passphrase: cluster.passphrase };
}

async function desiredOf(key: string, record: StackRecord | undefined, cluster: OpenCluster): Promise<Desired> {
  const object = await cluster.database(key);
  if (object === undefined) throw new Error(`there is no Database ${key}`);
  const parsed = parseDatabase(object);
  if (!parsed.ok) throw new Error(`SpecInvalid: ${parsed.problems.join("; ")}`);
  const judgement = await judge(parsed.database, cluster, record?.upgrade);
  if (judgement.kind === "accepted") return judgement.desired;
  const { outcome } = judgement;
  throw new Error("reason" in outcome ? `${outcome.reason}: ${outcome.message}` : outcome.kind);
}

function told(key: string, { history }: Copy, { project, directory }: Record<"project" | "directory", string>): string {
  const from = (file: string): string => relative(process.cwd(), file) || ".";
  const [last] = history;
  const revision = last === undefined ? "" : `, revision ${last.revision} of ${last.at}`;
  return `A copy of the stack of ${key}${revision}:

  cd ${from(project)}
  . ${relative(project, directory)}/env
  pulumi preview
  pulumi stack
  pulumi stack history

It holds passwords in clear; remove it when you are done: rm -r ${from(join(project, ".state"))}
It is a copy: \`pulumi up\` there changes the cluster behind the operator's back, and the operator reverts that.
`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
