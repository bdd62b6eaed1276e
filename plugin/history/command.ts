// `history`: which changes there were, or all of one.
import { kindOf, kinds } from "../cluster/paths";
import type { Asked } from "../command/asked";
import type { ExitCode } from "../command/verb";
import type { World } from "../command/world";
import { parseRevision } from "../../operator/api/revisions/object";
import { listOf } from "../output/document";
import { print } from "../output/print";
import { pastOf, revisionNumbered, type Past } from "./read";
import { historyLines, revisionLines } from "./text";

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const past = await pastOf(cluster, asked.namespace ?? cluster.namespace, asked.name ?? "");
  if (asked.revision === undefined) await printAll(past, asked, world);
  else await printOne(past, asked.revision, asked, world);
  return 0;
}

const nameIn = (name: string): string => `${kindOf(kinds.revisions)}/${name}`;

async function printAll({ revisions, objects, database }: Past, asked: Asked, world: World): Promise<void> {
  const above =
    database === undefined ? [`The Database ${asked.name ?? ""} does not exist any more; these are left of it.`] : [];
  await print(asked, world, {
    document: listOf(objects),
    names: revisions.map(({ metadata }) => nameIn(metadata.name)),
    lines: (view) => [
      ...above,
      ...(revisions.length === 0
        ? ["No revisions found: the operator records the changes that it carries out from now on."]
        : historyLines(revisions, { ...view, hasHeadings: asked.headers, isWide: asked.output === "wide" })),
    ],
  });
}

async function printOne({ revisions, objects }: Past, number: number, asked: Asked, world: World): Promise<void> {
  const revision = revisionNumbered(revisions, number);
  await print(asked, world, {
    document: objects.find((object) => parseRevision(object)?.metadata.name === revision.metadata.name),
    names: [nameIn(revision.metadata.name)],
    lines: (view) => revisionLines(revision, view),
  });
}
