// The kubeconfig, by kubectl's rules: of a name, and of the current context, the first file that has it decides. The client library would
// take the last, and end where a name is in two files, where a file is missing, or where an entry that is not used is broken.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { load } from "js-yaml";
import { z } from "zod";
import { Trouble } from "../command/trouble";

/** What is written of a cluster, a user or a context. */
export type Fields = Readonly<Record<string, unknown>>;
type Entries = ReadonlyMap<string, Fields>;

const AFields = z.record(z.string(), z.unknown());

/** Entries that are broken are left out. */
const entries = (key: "cluster" | "user" | "context"): z.ZodType<Entries> =>
  z
    .array(z.unknown())
    .nullish()
    .transform((all) => {
      const Entry = z.object({ name: z.string().min(1), [key]: AFields.nullish() });
      return firstOf((all ?? []).flatMap((one) => pairIn(Entry.safeParse(one).data, key)));
    });

function pairIn(entry: Fields | undefined, key: string): [string, Fields][] {
  const name = entry?.["name"];
  return typeof name === "string" ? [[name, AFields.safeParse(entry?.[key]).data ?? {}]] : [];
}

/** Of pairs with the same name the first. */
const firstOf = (pairs: Iterable<readonly [string, Fields]>): Entries => {
  const found = new Map<string, Fields>();
  for (const [name, fields] of pairs) if (!found.has(name)) found.set(name, fields);
  return found;
};

const Config = z.object({
  "current-context": z.string().nullish(),
  ...{ clusters: entries("cluster"), users: entries("user"), contexts: entries("context") },
});

/** All files together. */
export interface Kubeconfig {
  /** Empty where none is set. */
  readonly current: string;
  readonly contexts: Entries;
  readonly clusters: Entries;
  readonly users: Entries;
}

/** Undefined where there is none. `file`: instead of those that the environment names. */
export function kubeconfigAt(file: string | undefined, environment = process.env): Kubeconfig | undefined {
  const files = file === undefined ? filesOf(environment).filter((path) => existsSync(path)) : [file];
  const all = files.map(readIn);
  const merged = {
    current: all.map(({ current }) => current).find((name) => name !== "") ?? "",
    contexts: firstOf(all.flatMap(({ contexts }) => [...contexts])),
    clusters: firstOf(all.flatMap(({ clusters }) => [...clusters])),
    users: firstOf(all.flatMap(({ users }) => [...users])),
  };
  return merged.contexts.size + merged.clusters.size === 0 ? undefined : merged;
}

function filesOf({ KUBECONFIG: list }: NodeJS.ProcessEnv): string[] {
  return list ? list.split(delimiter).filter((path) => path !== "") : [join(homedir(), ".kube", "config")];
}

function readIn(file: string): Kubeconfig {
  const { "current-context": current, clusters, users, contexts } = parsed(file);
  const placed = (all: Entries, place: (fields: Fields) => Fields): Entries =>
    new Map([...all].map(([name, fields]) => [name, place(fields)]));
  return {
    current: current ?? "",
    contexts,
    clusters: placed(clusters, (fields) => withPaths(fields, ["certificate-authority"], dirname(file))),
    users: placed(users, (fields) =>
      withCommand(withPaths(fields, ["client-certificate", "client-key", "tokenFile"], dirname(file)), dirname(file)),
    ),
  };
}

function parsed(file: string): z.infer<typeof Config> {
  try {
    const text = readFileSync(file, "utf8");
    // the library takes no empty text
    return Config.parse((text.trim() === "" ? undefined : load(text)) ?? {});
  } catch (error) {
    throw new Trouble(`cannot read the kubeconfig ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Names of files are from where the kubeconfig lies; what is written in it itself, as `…-data`, wins over a file. */
function withPaths(fields: Fields, keys: readonly string[], directory: string): Fields {
  const paths = keys.map((key) => {
    const path = fields[key];
    const isUsed = typeof path === "string" && path !== "" && !fields[`${key}-data`];
    return [key, isUsed ? resolve(directory, path) : undefined] as const;
  });
  return { ...fields, ...Object.fromEntries(paths) };
}

/** The same of the program that signs in, unless it is looked for on PATH. */
function withCommand(fields: Fields, directory: string): Fields {
  const exec = AFields.safeParse(fields["exec"]).data;
  const command = exec?.["command"];
  if (typeof command !== "string" || !command.includes("/")) return fields;
  return { ...fields, exec: { ...exec, command: resolve(directory, command) } };
}

/** One context, with what it names. */
export interface Chosen {
  readonly context: string;
  readonly namespace: string;
  readonly cluster: Fields & { readonly server: string };
  readonly user: Fields;
}

const AContext = z.object({
  ...{ cluster: z.string().nullish(), user: z.string().nullish(), namespace: z.string().nullish() },
});
const ACluster = z.looseObject({ server: z.string().min(1) });

/** The context `name`. Default: the current one. */
export function chosenIn(kubeconfig: Kubeconfig, name = kubeconfig.current): Chosen {
  if (name === "") throw new Trouble("the kubeconfig has no current context", ["kubectl config get-contexts"]);
  const fields = kubeconfig.contexts.get(name);
  if (fields === undefined) {
    const names = [...kubeconfig.contexts.keys()];
    throw new Trouble(`the kubeconfig has no context "${name}"`, [`it has: ${names.join(", ") || "none"}`]);
  }
  const context = AContext.parse(fields);
  if (!context.cluster) throw new Trouble(`context "${name}" names no cluster`);
  const cluster = ACluster.safeParse(
    namedIn(kubeconfig.clusters, context.cluster, `context "${name}" names the cluster`),
  );
  if (!cluster.success) throw new Trouble(`the cluster "${context.cluster}" of the kubeconfig has no server`);
  return {
    context: name,
    namespace: context.namespace || "default",
    cluster: cluster.data,
    user: context.user ? namedIn(kubeconfig.users, context.user, `context "${name}" names the user`) : {},
  };
}

function namedIn(all: Entries, name: string, where: string): Fields {
  const found = all.get(name);
  if (found === undefined) throw new Trouble(`${where} "${name}", which is not in the kubeconfig`);
  return found;
}
