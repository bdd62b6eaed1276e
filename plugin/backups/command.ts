// `backups`: which there are, and to which moments a restore can go back.
import { databaseIfAny, listed, noSuch } from "../cluster/read";
import { kindOf, kinds } from "../cluster/paths";
import type { Asked } from "../command/asked";
import type { ExitCode } from "../command/verb";
import type { Cluster, World } from "../command/world";
import { backupIn, type SeenBackup } from "../objects/backup";
import { databaseIn } from "../objects/database";
import { listOf } from "../output/document";
import { print, type View } from "../output/print";
import { backupLines, windowLines } from "./text";

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const { objects, database } = await found(asked, cluster);
  const backups = objects.flatMap((object) => backupIn(object) ?? []);
  await print(asked, world, {
    document: listOf(objects),
    names: backups.map(({ name }) => `${kindOf(kinds.backups)}/${name}`),
    lines: (view) => linesOf(backups, database, { asked, view }),
  });
  return 0;
}

interface Found {
  readonly objects: readonly unknown[];
  /** Undefined where none is asked for, or it does not exist any more. */
  readonly database: unknown;
}

async function found({ name, namespace: given, allNamespaces }: Asked, cluster: Cluster): Promise<Found> {
  const namespace = given ?? cluster.namespace;
  const place = { namespace: allNamespaces ? undefined : namespace };
  const [objects, database] = await Promise.all([
    listed(cluster, kinds.backups, place),
    name === undefined ? undefined : databaseIfAny(cluster, namespace, name),
  ]);
  const own = objects.filter((object) => name === undefined || backupIn(object)?.database === name);
  // backups outlive their Database
  if (name !== undefined && database === undefined && own.length === 0) throw await noSuch(cluster, namespace, name);
  return { objects: own, database };
}

interface Shape {
  readonly asked: Asked;
  readonly view: View;
}

function linesOf(backups: readonly SeenBackup[], database: unknown, { asked, view }: Shape): string[] {
  const { name, allNamespaces, headers, output } = asked;
  const shape = {
    ...{ ...view, isWide: output === "wide", hasNamespaces: allNamespaces },
    ...{ hasDatabases: name === undefined, hasHeadings: headers },
  };
  const seen = databaseIn(database);
  const above = seen === undefined ? aboveWithout(name) : windowLines(seen, backups, view);
  return [...above, ...(backups.length === 0 ? ["No backups found."] : backupLines(backups, shape))];
}

const aboveWithout = (name: string | undefined): string[] =>
  name === undefined ? [] : [`The Database ${name} does not exist any more; these are left of it.`];
