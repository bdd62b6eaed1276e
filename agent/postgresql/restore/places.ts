// The files of a server that no one else reaches: its configuration is empty, and its superuser alone gets in, by the socket.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { socketDirectory } from "../server/connection";
import type { Places } from "./decide";

/** Where they are. `purpose`: names their directory. */
export function placesOf(data: string, purpose: string): Places {
  const at = (name: string): string => join(socketDirectory, purpose, name);
  return { data, socket: socketDirectory, config: at("postgresql.conf"), hostBasedAuthentication: at("pg_hba.conf") };
}

/** Writes them. */
export async function preparePlaces({ config, hostBasedAuthentication }: Places, superuser: string): Promise<void> {
  await mkdir(dirname(config), { recursive: true });
  await writeFile(config, "");
  await writeFile(hostBasedAuthentication, `local all ${superuser} peer\n`);
}
