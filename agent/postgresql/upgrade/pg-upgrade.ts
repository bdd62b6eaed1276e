// pg_upgrade itself, and why it failed: what it wrote goes with the pod.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { output, ProgramFailed } from "../../restore/output";
import { formerSettings } from "../restore/decide";
import { socketDirectory } from "../server/connection";
import type { Conversion } from "./conversion";
import { complaintIn, errorsIn, locksFor, programOf } from "./reading";
import { Refusal } from "./refusal";

/** Makes files of the target out of the copy. `relations`: how many the largest database has. `control`: what `pg_controldata` says of the copy. */
export async function upgradeFiles(
  { places, from, to, superuser }: Conversion,
  relations: number,
  control: string,
): Promise<void> {
  const { work, former, converted } = places;
  const locks = locksFor(Number(formerSettings(control).max_locks_per_transaction), relations);
  const options = `-c max_locks_per_transaction=${locks} -c huge_pages=off`;
  try {
    await output(
      programOf(to, "pg_upgrade"),
      [
        ...["--link", "--no-sync", "--jobs=2", `--username=${superuser}`, `--socketdir=${socketDirectory}`],
        ...[`--old-bindir=${programOf(from, "")}`, `--new-bindir=${programOf(to, "")}`],
        ...[`--old-datadir=${former}`, `--new-datadir=${converted}`],
        ...[`--old-options=${options}`, `--new-options=${options}`],
      ],
      { directory: work },
    );
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    const { causes, lists } = await reportsIn(converted);
    const why = ["pg_upgrade failed:", ...causes, complaintIn(error.printed), ...lists].join("\n");
    // one that was killed may get further another time
    throw error.code === null ? new Error(why, { cause: error }) : new Refusal(why, { cause: error });
  }
}

/** How much of the files is told in which pg_upgrade lists what is in its way. */
const mostOfList = 500;

interface Reports {
  readonly causes: readonly string[];
  readonly lists: readonly string[];
}

/** Where it points to: to lists for people, and to logs of the programs that it runs. */
async function reportsIn(converted: string): Promise<Reports> {
  const directory = join(converted, "pg_upgrade_output.d");
  const names = (await readdir(directory, { recursive: true }).catch(() => [])).sort();
  const textsOf = (end: string): Promise<(readonly [string, string])[]> =>
    Promise.all(
      names
        .filter((name) => name.endsWith(end))
        .map(async (name) => [name, await readFile(join(directory, name), "utf8")] as const),
    );
  const logs = await textsOf(".log");
  const lists = await textsOf(".txt");
  return {
    causes: errorsIn(logs.map(([, text]) => text)),
    lists: lists.map(([name, text]) => `${name}:\n${text.slice(0, mostOfList)}`),
  };
}
