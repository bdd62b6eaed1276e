// One call of `preview`: the cluster and Pulumi are opened once, for all Databases of the files.
import { readConfig } from "../config";
import type { Access } from "../kube/client";
import { findPulumiCommand } from "../stack/pulumi-command";
import type { Arguments } from "./arguments";
import { openCluster, type Cluster } from "./cluster";
import { explained } from "./explained";
import type { Answer } from "./kubectl";
import type { Previewed } from "./plan";
import { prepareApply, prepareDeletion, type Prepared } from "./prepare";
import { openPreviewer, previewed } from "./run";

/** A Database of a file, and what kubectl said of it. */
export interface Asked {
  readonly name: string;
  readonly answer: Promise<Answer>;
}

/** How previews are made. */
export interface Manner extends Pick<Arguments, "remove" | "refresh"> {
  readonly access: Promise<Access>;
  readonly environment: NodeJS.ProcessEnv;
  /** Ends a preview early; it still tidies up. */
  readonly signal: AbortSignal;
}

/** Previews each; never rejects for what concerns one Database alone. */
export async function previewAll(databases: readonly Asked[], manner: Manner): Promise<readonly Previewed[]> {
  const { namespace } = readConfig(manner.environment);
  const command = findPulumiCommand();
  // its failure is told where the command is used
  command.catch(() => undefined);
  const opened = manner.access.then((access) => openCluster(access, namespace));
  opened.catch(() => undefined);
  const all: Previewed[] = [];
  for (const { name, answer } of databases) {
    const said = await answer;
    const failed = (error: unknown): Previewed => ({
      kind: "failed",
      database: name,
      message: explained(error, namespace),
    });
    all.push(await previewOne(name, said, { opened, command, manner }).catch(failed));
  }
  await opened.then((cluster) => cluster.close()).catch(() => undefined);
  return all;
}

interface Means {
  readonly opened: Promise<Cluster>;
  readonly command: ReturnType<typeof findPulumiCommand>;
  readonly manner: Manner;
}

async function previewOne(name: string, answer: Answer, { opened, command, manner }: Means): Promise<Previewed> {
  if (answer.kind === "refused") return { kind: "rejected", database: name, message: answer.message };
  if (answer.kind === "none")
    return { kind: "skipped", message: `there is no Database ${name}: nothing would be deleted` };
  const cluster = await opened;
  const prepare = manner.remove ? prepareDeletion : prepareApply;
  const prepared: Prepared = await prepare(answer.object, cluster, manner);
  if (prepared.kind !== "change" && prepared.kind !== "deletion") return prepared;
  const stacks = await openPreviewer(command, cluster.passphrase, manner.signal);
  const done = await previewed(prepared, stacks);
  return done.kind === "plan" ? { ...done, notes: [...answer.warnings, ...done.notes] } : done;
}
