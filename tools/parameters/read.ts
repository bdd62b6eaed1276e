// Asks the server in an image about its parameters.
import { join, resolve } from "node:path";
import type { Log } from "../host/command";
import { buildImages, openStorage, type BuiltImage } from "../images/build";
import { parameterQuery, tableOf } from "./table";

/** The images whose servers are asked: one of each major version. */
export const askedImages = ["postgresql-15", "postgresql", "postgresql-18"];

const directory = resolve(__dirname, "..", "..", "components", "engines", "postgresql");

/** Where the table of a major version is. */
export function tableFile(major: string): string {
  return join(directory, `parameters-${major}.json`);
}

// A server for one question, on a socket that no other process sees; with its defaults, as no parameter changes the answer.
const questioning = `set -e
directory=$(mktemp -d)
initdb --pgdata "$directory/data" --auth trust --username postgres >/dev/null
pg_ctl --pgdata "$directory/data" --options "-k $directory -c listen_addresses=" --log "$directory/log" --wait start >/dev/null
trap 'pg_ctl --pgdata "$directory/data" --mode immediate stop >/dev/null' EXIT
psql --host "$directory" --username postgres -XAtq --command "$QUERY"`;

/** The tables of the servers in these images, by major version; builds the images that are missing. */
export async function readTables(images: readonly string[], log: Log): Promise<ReadonlyMap<string, string>> {
  const tables = new Map<string, string>();
  for (const image of await buildImages({ log, only: images })) {
    const major = image.server?.version.split(".")[0];
    if (major === undefined) throw new Error(`${image.name} has no server inside`);
    tables.set(major, await tableOf(await answerOf(image)));
  }
  return tables;
}

async function answerOf({ image, archive }: BuiltImage): Promise<string> {
  const storage = await openStorage();
  if (!(await storage.has(image))) await storage.load(archive);
  return storage.shell(image, `QUERY=$(cat <<'SQL'\n${parameterQuery}\nSQL\n)\n${questioning}`);
}
