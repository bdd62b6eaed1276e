// `pause` and `resume`: whether the operator leaves a Database as it is.
import { itemOf, kinds } from "../cluster/paths";
import { databaseNamed, explained } from "../cluster/read";
import { agreementTo } from "../command/agreement";
import type { Asked } from "../command/asked";
import { invocation, pluginManager } from "../command/name";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import { isFailure, type Cluster, type World } from "../command/world";
import { aDatabase, type SeenDatabase } from "../objects/database";
import { paletteFor } from "../output/palette";
import type { Answer } from "../preview/answer";
import { previewed } from "../preview/command";
import { answerLines } from "../preview/text";
import { keeperOf } from "../rollback/keeper";
import { resumed } from "./resumed";

interface Errand {
  readonly asked: Asked;
  readonly world: World;
  readonly cluster: Cluster;
  /** As the API server has it. */
  readonly object: unknown;
  readonly database: SeenDatabase;
}

/** Writes it at once: what is paused can be resumed. */
export async function pause(asked: Asked, world: World): Promise<ExitCode> {
  const errand = await errandOf(asked, world);
  const { metadata, spec } = errand.database;
  const { namespace, name } = metadata;
  if (spec.paused) return said(errand, "is paused already");
  await written(errand, true);
  return said(
    errand,
    `is paused: the operator leaves it as it is until ${invocation} resume ${name} -n ${namespace}; what has begun is finished`,
  );
}

/** Shows what then happens, and asks: all that was edited meanwhile is carried out at once. */
export async function resume(asked: Asked, world: World): Promise<ExitCode> {
  const errand = await errandOf(asked, world);
  const { database, object, cluster } = errand;
  if (!database.spec.paused) return said(errand, "is not paused");
  const answer = await previewed(resumed(object), "Apply", { cluster, warnings: [] });
  const palette = paletteFor(asked.color, world);
  world.out(`${answerLines([answer], { palette, hasObjects: asked.objects }).join("\n")}\n`);
  if (asked.dryRun) return answer.kind === "refused" ? 2 : 1;
  if (!(await isWanted(answer, errand))) return 1;
  await written(errand, false);
  const { namespace, name } = database.metadata;
  said(errand, "is not paused any more");
  world.out(`Next  ${invocation} wait ${name} -n ${namespace}\n`);
  return 0;
}

async function errandOf(asked: Asked, world: World): Promise<Errand> {
  const cluster = await world.open(asked.reach);
  const object = await databaseNamed(cluster, asked.namespace ?? cluster.namespace, asked.name ?? "");
  const database = aDatabase(object);
  if (database.metadata.deletionTimestamp !== undefined)
    throw new Trouble(`${database.metadata.name} is being deleted: a pause does not hold that up`);
  return { asked, world, cluster, object, database };
}

function said({ world, database: { metadata } }: Errand, text: string): ExitCode {
  world.out(`${metadata.namespace}/${metadata.name} ${text}\n`);
  return 0;
}

async function isWanted(answer: Answer, { asked, world }: Errand): Promise<boolean> {
  if (asked.yes) return true;
  const blind = answer.kind === "report" ? "" : " What it does could not be told.";
  const agreed = await agreementTo(`Resume it?${blind}`, world);
  if (agreed === undefined) world.err("not resumed: there is no terminal to ask at; --yes resumes it\n");
  else if (!agreed) world.err("not resumed\n");
  return agreed === true;
}

/** What was previewed is what is resumed: another version of the Database is another question. */
async function written({ asked, world, cluster, object, database }: Errand, paused: boolean): Promise<void> {
  const { namespace, name, resourceVersion } = database.metadata;
  const isShown = !paused && !asked.yes;
  const body = { ...(isShown && { metadata: { resourceVersion } }), spec: { paused } };
  try {
    await cluster.patch(itemOf(kinds.databases, namespace, name), body, { fieldManager: pluginManager });
  } catch (error) {
    if (isFailure(error, 409))
      throw new Trouble(`${namespace}/${name} was changed since it was previewed: nothing is written`, [
        `${invocation} resume ${name} -n ${namespace}, and look again`,
      ]);
    throw explained(error, { kind: kinds.databases, namespace, verb: "patch" });
  }
  const keeper = keeperOf(object);
  if (keeper !== undefined)
    world.err(`${keeper.title} has this Database, and may write over spec.paused; ${keeper.where}\n`);
}
