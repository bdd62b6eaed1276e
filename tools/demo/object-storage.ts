// The demo's object storage: a server on this machine that runs for as long as the cluster, in place of a bucket of a cloud.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { layoutOf } from "../cluster/layout";
import { openProcesses } from "../cluster/processes";
import { destinationIn, hostIn, objectsIn, type Destination } from "../object-storage/objects";
import { prepareServer } from "../object-storage/server";
import type { Session } from "./session";

const name = "object-storage";

/** Sees to it that the server runs, and that the namespace can use it. Returns the `backup.destination` of Databases there. */
export async function provideObjectStorage(session: Session, namespace: string): Promise<Destination> {
  const { cluster, progress } = session;
  const processes = openProcesses(layoutOf(cluster.directory));
  const directory = join(cluster.directory, name);
  const { command, args, env, port, authority } = await prepareServer({ directory, host: hostIn(namespace), progress });
  await processes.stop(name);
  processes.start({ name, command, args, env });
  const address = ["get", "endpoints", "kubernetes", "-n", "default", "-o", "jsonpath={.subsets[0].addresses[0].ip}"];
  const ip = await session.kubectl(address);
  const objects = objectsIn(namespace, { ip, port, authority: await readFile(authority, "utf8") });
  await session.kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  return destinationIn(namespace, "demo");
}
