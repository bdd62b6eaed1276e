// `backup`: asks for a backup of a Database now, by an object of it.
import { backupResource, databaseResource, storedVersion } from "../../contract/resources";
import { collectionOf, kinds } from "../cluster/paths";
import { databaseNamed, explained } from "../cluster/read";
import type { Asked } from "../command/asked";
import { invocation } from "../command/name";
import { Trouble } from "../command/trouble";
import type { ExitCode } from "../command/verb";
import type { World } from "../command/world";
import { aDatabase } from "../objects/database";

export async function run(asked: Asked, world: World): Promise<ExitCode> {
  const cluster = await world.open(asked.reach);
  const namespace = asked.namespace ?? cluster.namespace;
  const { metadata, spec } = aDatabase(await databaseNamed(cluster, namespace, asked.name ?? ""));
  const { name } = metadata;
  if (metadata.deletionTimestamp !== undefined)
    throw new Trouble(`${name} is being deleted: what is taken of it before that is for spec.deletionPolicy to say`);
  if (!spec.backup.enabled)
    throw new Trouble(`backups of ${name} are off: spec.backup.enabled is false`, [
      `kubectl edit ${databaseResource.kind.toLowerCase()} ${name} -n ${namespace}`,
    ]);
  const backup = `${name}-${stampOf(world.now())}`;
  const object = {
    apiVersion: `${backupResource.group}/${storedVersion}`,
    kind: backupResource.kind,
    metadata: { name: backup, namespace },
    spec: { database: name, keep: asked.keep },
  };
  try {
    await cluster.create(collectionOf(kinds.backups, namespace), object);
  } catch (error) {
    throw explained(error, { kind: kinds.backups, namespace, verb: "create" });
  }
  const kept = asked.keep ? ", and is kept beyond the retention" : "";
  world.out(
    [
      `${namespace}/${name}: a backup is asked for: ${backup}${kept}`,
      `Next  ${invocation} backups ${name} -n ${namespace}`,
      `      kubectl wait dbb/${backup} -n ${namespace} --for=jsonpath='{.status.completedAt}' --timeout=6h`,
      "",
    ].join("\n"),
  );
  return 0;
}

/** Such as `20261127-150000`: the second tells it from the others. */
const stampOf = (now: Date): string => now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
