// One call of `preview`: the cluster and Pulumi are opened once, for all Databases of the files.
import { Catalogue } from "../api/catalogue";
import { readConfig } from "../config";
import type { Access } from "../kube/client";
import type { Arguments } from "./arguments";
import { openCluster, type OpenCluster } from "./cluster";
import { previewBackup } from "./backup";
import { backupResource, databaseResource } from "../../contract/resources";
import { followApply, followDeletion, type Followed } from "./companion";
import { parseJson } from "../objects/json";
import { explained } from "./explained";
import type { Answer } from "./kubectl";
import type { Previewed } from "./plan";
import { policiesHeld } from "./platform-policies";
import type { PlatformPolicies } from "./policy-note";
import { prepareApply, prepareDeletion, type Prepared } from "./prepare";
import { openPreviewer, previewed, type Previewer } from "./run";
import type { Ahead } from "../stack/resident/ahead";

/** A Database of a file, a companion or a backup, and what kubectl said of it. */
export interface Asked {
  readonly name: string;
  /** The plural of a companion's kind; undefined for a Database. */
  readonly companion: string | undefined;
  readonly isBackup: boolean;
  readonly answer: Promise<Answer>;
}

/** How previews are computed. */
export interface PreviewOptions extends Pick<Arguments, "remove" | "refresh"> {
  readonly access: Promise<Access>;
  readonly environment: NodeJS.ProcessEnv;
  /** The text of the catalogue that there would be; undefined: the one that there is. */
  readonly catalogue?: string | undefined;
  /** The text of the releasePolicy that there would be; undefined: the one that there is. */
  readonly releasePolicy?: string | undefined;
  /** Is told, in a sentence, by which policies it is said what waits. */
  readonly onPolicies?: (source: string) => void;
  /** Ends a preview early; it still tidies up. */
  readonly signal: AbortSignal;
  /** A resident Pulumi that starts already. Default: none does. */
  readonly ahead?: Promise<Ahead | undefined>;
}

/** Previews each; never rejects for what concerns one Database alone. */
export async function previewAll(databases: readonly Asked[], options: PreviewOptions): Promise<readonly Previewed[]> {
  const { namespace, pulumi, changes } = readConfig(options.environment);
  const assumed = options.catalogue === undefined ? {} : { catalogue: catalogueOf(options.catalogue) };
  const opened = options.access.then(async (access): Promise<OpenPreview> => {
    const cluster = await openCluster(access, namespace, assumed);
    const { policies, source } = policiesHeld(cluster.policies, changes, options.releasePolicy);
    options.onPolicies?.(source);
    const stacks = await openPreviewer(pulumi, cluster.passphrase, options.signal, await options.ahead);
    return { cluster, stacks, options, policies };
  });
  // its failure is reported for each Database
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

interface OpenPreview {
  readonly cluster: OpenCluster;
  readonly stacks: Previewer;
  readonly options: PreviewOptions;
  readonly policies: PlatformPolicies;
}

/** Throws for what is none. */
function catalogueOf(text: string): Catalogue {
  const parsed = Catalogue.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
  throw new Error(`this is no catalogue: ${problems.join("; ")}`);
}

async function closeAll({ cluster, stacks }: OpenPreview): Promise<void> {
  await Promise.all([cluster.close(), stacks.close()]);
}

const follow = (
  plural: string,
  object: unknown,
  { cluster, options }: Pick<OpenPreview, "cluster" | "options">,
): Promise<Followed> => (options.remove ? followDeletion(object, cluster) : followApply(plural, object, cluster));

const prepare = (
  database: unknown,
  { cluster, options: { remove, refresh }, policies }: Omit<OpenPreview, "stacks">,
): Promise<Prepared> => (remove ? prepareDeletion : prepareApply)(database, cluster, { refresh, policies });

/** Where there is no object to continue with. */
function withoutObject({ name, companion, isBackup }: Asked, answer: Exclude<Answer, { kind: "object" }>): Previewed {
  if (answer.kind === "refused") return { kind: "rejected", database: name, isBackup, message: answer.message };
  const kind = companion ?? (isBackup ? backupResource : databaseResource).kind;
  return { kind: "skipped", message: `there is no ${kind} ${name}: nothing would be deleted` };
}

async function previewOne(asked: Asked, answer: Answer, opened: Promise<OpenPreview>): Promise<Previewed> {
  if (answer.kind !== "object") return withoutObject(asked, answer);
  const { companion, isBackup } = asked;
  const { cluster, stacks, options, policies } = await opened;
  if (isBackup) return previewBackup(answer.object, cluster, options.remove);
  const followed = companion === undefined ? answer : await follow(companion, answer.object, { cluster, options });
  if (followed.kind !== "database" && followed.kind !== "object") return followed;
  const prepared = await prepare(followed.object, { cluster, options, policies });
  if (prepared.kind !== "change" && prepared.kind !== "deletion") return prepared;
  const done = await previewed(prepared, stacks);
  return done.kind === "plan" ? { ...done, notes: [...answer.warnings, ...done.notes] } : done;
}
