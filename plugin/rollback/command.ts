// `rollback`: the spec of a former revision, previewed, asked about, and written as the difference.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { databaseResource } from "../../contract/resources";
import type { DatabaseRevision } from "../../operator/api/revisions/object";
import { databaseIfAny } from "../cluster/read";
import { agreementTo } from "../command/agreement";
import type { Asked } from "../command/asked";
import { invocation, pluginManager } from "../command/name";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import type { Cluster, World } from "../command/world";
import { pastOf, revisionNumbered } from "../history/read";
import { momentText } from "../output/amounts";
import { documentText } from "../output/document";
import { paletteFor } from "../output/palette";
import type { Answer } from "../preview/answer";
import { previewed } from "../preview/command";
import { answerOf, flagsOf, type DryRun } from "../preview/dry-run";
import { answerLines } from "../preview/text";
import { judgeRollback, type KeptField, type Rollback } from "./judge";
import { keeperOf, type Keeper } from "./keeper";

const Whole = z.object({
  metadata: z.object({
    ...{ name: z.string(), namespace: z.string(), resourceVersion: z.string() },
    uid: z.string().default(""),
  }),
  spec: z.record(z.string(), z.unknown()),
});
type Whole = z.infer<typeof Whole>;

/** A rollback that may be written. */
interface Step {
  readonly database: Whole;
  readonly to: DatabaseRevision;
  readonly found: Extract<Rollback, { kind: "possible" }>;
}

interface Context {
  readonly asked: Asked;
  readonly world: World;
  readonly cluster: Cluster;
}

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const past = await pastOf(cluster, asked.namespace ?? cluster.namespace, asked.name ?? "");
  if (past.database === undefined) throw goneTrouble(asked.name);
  const database = Whole.parse(past.database);
  const { to, found } = aimOf(database, past.revisions, asked);
  switch (found.kind) {
    case "possible":
      return carryOn({ database, to, found }, keeperOf(past.database), { asked, world, cluster });
    case "same":
      world.out(
        [
          `nothing to change: the spec of revision ${to.spec.revision} is that of now`,
          ...keptLines(found.kept),
          "",
        ].join("\n"),
      );
      return 0;
    case "unknown":
    case "foreign":
    case "version":
      throw refusalOf(found, to);
  }
}

const goneTrouble = (name = ""): Trouble =>
  new Trouble(`the Database ${name} does not exist any more: there is nothing to roll back`, [
    `${invocation} history ${name} --revision=NUMBER -o yaml prints a spec, to be applied again`,
  ]);

interface Aim {
  readonly to: DatabaseRevision;
  readonly found: Rollback;
}

/** Without a number: the newest whose spec is another one than that of now. */
function aimOf({ spec, metadata }: Whole, revisions: readonly DatabaseRevision[], asked: Asked): Aim {
  const judged = (to: DatabaseRevision): Aim => ({
    to,
    found: judgeRollback({ spec, to, keepsVersion: asked.keepsVersion }),
  });
  if (asked.revision !== undefined) return judged(revisionNumbered(revisions, asked.revision));
  const aims = revisions.map(judged);
  const aim = aims.find(({ found }) => found.kind !== "same" && found.kind !== "unknown") ?? aims[0];
  if (aim === undefined) throw new Trouble(`${metadata.name} has no revision to go back to yet`);
  return aim;
}

function refusalOf(found: Exclude<Rollback, { kind: "possible" | "same" }>, { spec }: DatabaseRevision): Trouble {
  const revision = `revision ${spec.revision}`;
  switch (found.kind) {
    case "unknown":
      return new Trouble(`the spec of ${revision} was not kept: it was larger than a revision may be`);
    case "foreign":
      return new Trouble(`${revision} is of another engine`);
    case "version":
      return new Trouble(`${revision} ran version ${found.to}, and ${found.from} is asked for now`, [
        "an engine does not read the files of a newer version: --keep-version goes back with everything else",
        "a major upgrade that is not confirmed is taken back by spec.version; for data of before there is a restore",
      ]);
  }
}

async function carryOn(step: Step, keeper: Keeper | undefined, context: Context): Promise<ExitCode> {
  const { asked, world } = context;
  const dry = await patched(step, ["--dry-run=server", "-o", "json"], context);
  const database = `${step.database.metadata.namespace}/${step.database.metadata.name}`;
  const answer: Answer =
    dry.kind === "refused"
      ? { kind: "refused", database, message: dry.message }
      : await previewed(dry.object, "Apply", { cluster: context.cluster, warnings: dry.warnings });
  const palette = paletteFor(asked.color, world);
  world.out(
    [
      `Back to revision ${step.to.spec.revision}, of ${momentText(step.to.spec.at)}`,
      ...answerLines([answer], { palette, hasObjects: asked.objects }),
      ...keptLines(step.found.kept),
      "",
    ].join("\n"),
  );
  if (answer.kind === "refused") return 2;
  if (asked.dryRun) return 1;
  if (keeper !== undefined && !asked.force) return elsewhere(step, keeper, context);
  return (await isWanted(answer, context)) ? written(step, context) : 1;
}

const keptLines = (kept: readonly KeptField[]): string[] =>
  kept.map(({ path, why }) => `  ! spec.${path} stays as it is: ${why}`);

/** Said on standard error, so that what is to be changed can be taken from standard output. */
async function elsewhere({ found }: Step, { title, where }: Keeper, { world }: Context): Promise<ExitCode> {
  const text = await documentText({ spec: found.patch }, "yaml");
  world.out(`\nWhat differs, null where a field goes:\n\n${text}`);
  world.err(
    `not written: ${title} has this Database, and would write over it; ${where}\n  --force writes it all the same\n`,
  );
  return 1;
}

async function isWanted(answer: Answer, { asked, world }: Context): Promise<boolean> {
  if (asked.yes) return true;
  const blind = answer.kind === "unserved" ? " What it does could not be told." : "";
  const said = await agreementTo(`Write it?${blind}`, world);
  if (said === undefined) world.err("not written: there is no terminal to ask at; --yes writes it\n");
  else if (!said) world.err("not written\n");
  return said === true;
}

async function written(step: Step, context: Context): Promise<ExitCode> {
  const { world } = context;
  const answer = await patched(step, ["-o", "json"], context);
  const { name, namespace } = step.database.metadata;
  if (answer.kind === "refused") throw new Trouble(answer.message, movedHints(answer.message, name));
  world.out(
    [
      ...answer.warnings.map((text) => `Warning: ${text}`),
      `written: ${namespace}/${name} asks for the spec of revision ${step.to.spec.revision}`,
      `  ${invocation} status ${name} -n ${namespace}   says whether it waits, and how it fares`,
      "",
    ].join("\n"),
  );
  return 0;
}

const isMoved = (message: string): boolean => /object has been modified/.test(message);

const movedHints = (message: string, name: string): string[] =>
  isMoved(message) ? [`it was changed since it was previewed: ${invocation} rollback ${name}, and look again`] : [];

/** How often it is written again after the operator has written its status, as it does again and again while members do not come up. */
const mostAttempts = 10;

/** The version is a precondition: what was previewed is what is written. Another version that asks for the same is as good. */
async function patched({ database, found }: Step, more: readonly string[], context: Context): Promise<DryRun> {
  let { resourceVersion } = database.metadata;
  for (let attempt = 1; ; attempt++) {
    const patch = { metadata: { resourceVersion }, spec: found.patch };
    const answer = answerOf(await patchedOnce(database, patch, more, context));
    if (answer.kind !== "refused" || !isMoved(answer.message) || attempt === mostAttempts) return answer;
    const present = await presentOf(database, context);
    if (present === undefined) return answer;
    ({ resourceVersion } = present.metadata);
  }
}

/** As it is now; undefined where it is gone, or asks for something else. */
async function presentOf({ metadata, spec }: Whole, { cluster }: Context): Promise<Whole | undefined> {
  const found = Whole.safeParse(await databaseIfAny(cluster, metadata.namespace, metadata.name)).data;
  return found?.metadata.uid === metadata.uid && isDeepStrictEqual(found.spec, spec) ? found : undefined;
}

function patchedOnce(
  { metadata: { name, namespace } }: Whole,
  patch: object,
  more: readonly string[],
  { asked, world }: Context,
): ReturnType<World["kubectl"]> {
  const what = [`${databaseResource.plural}.${databaseResource.group}`, name, "-n", namespace];
  return world.kubectl(
    [
      "patch",
      ...what,
      "--type=merge",
      `--field-manager=${pluginManager}`,
      ...flagsOf(asked.reach),
      ...more,
      "-p",
      JSON.stringify(patch),
    ],
    "",
  );
}
