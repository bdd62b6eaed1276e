// `report`: a Database with what is around it, for those who are to help: as much as the person may read, and no secrets.
import { z } from "zod";
import { memberSelector } from "../../components/naming";
import { ofDatabase } from "../cluster/of-database";
import { kindOf, kinds, type Kind } from "../cluster/paths";
import { databaseNamed, listedIfAllowed, type Partly } from "../cluster/read";
import { selectorOf } from "../cluster/selector";
import type { Asked } from "../command/asked";
import type { ExitCode } from "../command/verb";
import type { Cluster, World } from "../command/world";
import { backupIn } from "../objects/backup";
import { aDatabase } from "../objects/database";
import { eventIn } from "../objects/event";
import { revisionsOf } from "../objects/revision";
import { documentText } from "../output/document";
import { print } from "../output/print";
import { pluginVersion } from "../version";
import { isAbout } from "../why/related";
import { redacted } from "./redacted";

/** Something of the report, with how `-o name` calls it. */
interface Part {
  readonly kind: Kind;
  readonly object: unknown;
}

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const namespace = asked.namespace ?? cluster.namespace;
  const { parts, notShown } = await gathered(cluster, namespace, asked.name ?? "");
  const document = {
    ...{ apiVersion: "v1", kind: "List" },
    report: { plugin: pluginVersion(), at: world.now().toISOString(), notShown },
    items: parts.map(({ object }) => redacted(object)),
  };
  const text = await documentText(document, "yaml");
  await print(asked, world, { document, names: parts.map(nameOf), lines: () => text.trimEnd().split("\n") });
  for (const missing of notShown) world.err(`not in it: ${missing}\n`);
  return 0;
}

interface Gathered {
  readonly parts: readonly Part[];
  /** What may not be read. */
  readonly notShown: readonly string[];
}

async function gathered(cluster: Cluster, namespace: string, name: string): Promise<Gathered> {
  const object = await databaseNamed(cluster, namespace, name);
  const { metadata } = aDatabase(object);
  const pods = { namespace, query: { labelSelector: selectorOf(memberSelector(name)) } };
  const [backups, revisions, members, events] = await Promise.all([
    listedIfAllowed(cluster, kinds.backups, { namespace }),
    ofDatabase(name, (query) => listedIfAllowed(cluster, kinds.revisions, { namespace, query })),
    listedIfAllowed(cluster, kinds.pods, pods),
    listedIfAllowed(cluster, kinds.events, { namespace }),
  ]);
  const ownBackups = backups.items.filter((one) => backupIn(one)?.database === name);
  const known = new Set(revisionsOf(revisions.items, name, metadata.uid).map((one) => one.metadata.name));
  const isOurs = isAbout(name, new Set(ownBackups.flatMap((one) => backupIn(one)?.name ?? [])));
  const parts: readonly (readonly [Kind, readonly unknown[]])[] = [
    [kinds.databases, [object]],
    [kinds.backups, ownBackups],
    [kinds.revisions, revisions.items.filter((one) => known.has(nameIn(one)))],
    [kinds.pods, members.items],
    [kinds.events, events.items.filter((one) => isOfDatabase(one, isOurs))],
  ];
  return {
    parts: parts.flatMap(([kind, objects]) => objects.map((one) => ({ kind, object: one }))),
    notShown: [backups, revisions, members, events].flatMap(({ missing }: Partly) => missing ?? []),
  };
}

function isOfDatabase(object: unknown, isOurs: ReturnType<typeof isAbout>): boolean {
  const event = eventIn(object);
  return event !== undefined && isOurs(event);
}

const Named = z.object({ metadata: z.object({ name: z.string() }) });
const nameIn = (object: unknown): string => Named.safeParse(object).data?.metadata.name ?? "";

const nameOf = ({ kind, object }: Part): string => `${kindOf(kind)}/${nameIn(object)}`;
