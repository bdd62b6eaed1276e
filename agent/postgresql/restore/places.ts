// The files of a server that no one else reaches: its configuration is empty, and its superuser gets in by the socket, and no one else that is not named.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { socketDirectory } from "../server/connection";
import type { Places } from "./decide";

/** Where they are. `purpose`: names their directory. */
export function placesOf(data: string, purpose: string): Places {
  const at = (name: string): string => join(socketDirectory, purpose, name);
  return { data, socket: socketDirectory, config: at("postgresql.conf"), hostBasedAuthentication: at("pg_hba.conf") };
}

/** Writes them. `others`: roles that get in, too, by their passwords. Default: none. */
export async function preparePlaces(
  { config, hostBasedAuthentication }: Places,
  superuser: string,
  others: readonly string[] = [],
): Promise<void> {
  await mkdir(dirname(config), { recursive: true });
  await writeFile(config, "");
  const lines = [`local all ${superuser} peer`, ...others.map((role) => `local all ${role} scram-sha-256`)];
  await writeFile(hostBasedAuthentication, `${lines.join("\n")}\n`);
}
