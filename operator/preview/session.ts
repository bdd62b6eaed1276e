// One call of `preview`: the cluster and Pulumi are opened once, for all Databases of the files.
import { readConfig } from "../config";
import type { Access } from "../kube/client";
import type { Arguments } from "./arguments";
import { openCluster, type Cluster } from "./cluster";
import { followApply, followDeletion, type Followed } from "./companion";
import { explained } from "./explained";
import type { Answer } from "./kubectl";
import type { Previewed } from "./plan";
import { prepareApply, prepareDeletion, type Prepared } from "./prepare";
import { openPreviewer, previewed, type Previewer } from "./run";

/** A Database of a file, or a companion, and what kubectl said of it. */
export interface Asked {
  readonly name: string;
  /** The plural of a companion's kind; undefined for a Database. */
  readonly companion: string | undefined;
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
  const { namespace, pulumi } = readConfig(manner.environment);
  const opened = manner.access.then(async (access): Promise<Means> => {
    const cluster = await openCluster(access, namespace);
    return { cluster, stacks: await openPreviewer(pulumi, cluster.passphrase, manner.signal), manner };
  });
  // its failure is told of each Database
  opened.catch(() => undefined);
  const all: Previewed[] = [];
  for (const asked of databases) {
    const { name } = asked;
    const said = await asked.answer;
    const failed = (error: unknown): Previewed => ({
      kind: "failed",
      database: name,
      message: explained(error, namespace),
    });
    all.push(await previewOne(asked, said, opened).catch(failed));
  }
  await opened.then(closeAll).catch(() => undefined);
  return all;
}

interface Means {
  readonly cluster: Cluster;
  readonly stacks: Previewer;
  readonly manner: Manner;
}

async function closeAll({ cluster, stacks }: Means): Promise<void> {
  await Promise.all([cluster.close(), stacks.close()]);
}

const follow = (plural: string, object: unknown, { cluster, manner }: Omit<Means, "stacks">): Promise<Followed> =>
  manner.remove ? followDeletion(object, cluster) : followApply(plural, object, cluster);

const prepare = (database: unknown, { cluster, manner }: Omit<Means, "stacks">): Promise<Prepared> =>
  (manner.remove ? prepareDeletion : prepareApply)(database, cluster, manner);

async function previewOne({ name, companion }: Asked, answer: Answer, opened: Promise<Means>): Promise<Previewed> {
  if (answer.kind === "refused") return { kind: "rejected", database: name, message: answer.message };
  if (answer.kind === "none")
    return { kind: "skipped", message: `there is no ${companion ?? "Database"} ${name}: nothing would be deleted` };
  const { cluster, stacks, manner } = await opened;
  const followed = companion === undefined ? answer : await follow(companion, answer.object, { cluster, manner });
  if (followed.kind !== "database" && followed.kind !== "object") return followed;
  const prepared = await prepare(followed.object, { cluster, manner });
  if (prepared.kind !== "change" && prepared.kind !== "deletion") return prepared;
  const done = await previewed(prepared, stacks);
  return done.kind === "plan" ? { ...done, notes: [...answer.warnings, ...done.notes] } : done;
}
