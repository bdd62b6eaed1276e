// PostgreSQL on real nodes: the version that the built images have, and SQL as an application sends it.
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ask, psql } from "../../tools/demo/client";
import { run } from "../../tools/host/command";
import { catalogueFile } from "../../tools/images/build";
import type { Kubectl } from "./kubectl";

const Catalogue = z.object({ postgresql: z.record(z.string(), z.object({ image: z.string() })) });

/** The first version in the catalogue that `make images` wrote, and its image. Throws where it has none. */
export async function builtPostgresql(): Promise<{ readonly version: string; readonly image: string }> {
  const { postgresql } = Catalogue.parse(JSON.parse(await readFile(catalogueFile(), "utf8")));
  const [first] = Object.entries(postgresql);
  if (first === undefined) throw new Error(`${catalogueFile()} has no version of postgresql`);
  const [version, { image }] = first;
  return { version, image };
}

/** The minors of a major version in that catalogue, the older ones first. */
export async function builtMinors(major: string): Promise<readonly string[]> {
  const { postgresql } = Catalogue.parse(JSON.parse(await readFile(catalogueFile(), "utf8")));
  const minors = Object.keys(postgresql).filter((version) => version.startsWith(`${major}.`));
  return minors.sort((left, right) => Number(left.split(".")[1]) - Number(right.split(".")[1]));
}

/** Sends SQL to a member as its superuser, in the application's database, and returns the rows, columns apart by `|`. */
export async function askPostgresqlMember(
  kubectl: Kubectl,
  namespace: string,
  pod: string,
  sql: string,
): Promise<string> {
  const psql = ["psql", "-XAtq", "-d", "app", "-c", sql];
  return (await kubectl("exec", "-n", namespace, pod, "-c", "postgresql", "--", ...psql)).trim();
}

/** SQL for a Database, through one of its Services. */
export interface Query {
  readonly namespace: string;
  readonly database: string;
  readonly service: string;
  readonly sql: string;
}

/** Asks a database, in the cluster of the KUBECONFIG in `environment`. Throws what psql said on an error. */
export function askDatabase(environment: Readonly<Record<string, string>>, query: Query): Promise<string> {
  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    run("kubectl", args, { env: environment, ...(input === undefined ? {} : { input }) });
  const { namespace, database: name, service, sql: statement } = query;
  return ask({ kubectl }, { namespace, name, client: psql, service, statement });
}
