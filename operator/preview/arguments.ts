// What the command line of `preview` says.
import { parseArgs } from "node:util";

export const help = `Usage: preview [options] FILE...
       preview [options] --all

Shows what applying the Databases in FILE (- reads standard input) would change, object by object and field by field,
and what that means for the database. It changes nothing.

With --all: what this version of the operator, or another catalogue, would do to all Databases as they are, one line each.

Options:
  -n, --namespace <name>   namespace of objects that name none (the kubeconfig's)
      --all                all Databases, of all namespaces or of that one
      --catalogue <file>   with --all: as if that were the catalogue (JSON, as the platform's setting catalogueFile)
      --release-policy <json>  with --all: as if that were the platform's setting releasePolicy
      --server-side        as for \`kubectl apply --server-side\`
      --delete             what \`kubectl delete -f FILE\` would do
      --refresh            read every object from the cluster before comparing, which takes longer
  -o, --output <format>    text, or json: a list of DatabasePreviews, as the operator serves them (text)
  -h, --help               show this

Exit code: 0 nothing would change, 1 something would, 2 it is refused or could not be determined.

Environment:
  KUBECONFIG                    the cluster; Secrets of the operator's namespace must be readable
  DATABASE_OPERATOR_NAMESPACE   where the operator keeps its states (database-operator-system)
  NO_COLOR                      no colors
`;

export interface Arguments {
  readonly files: readonly string[];
  /** Of objects that name none; undefined leaves it to the kubeconfig. */
  readonly namespace: string | undefined;
  readonly serverSide: boolean;
  readonly remove: boolean;
  readonly refresh: boolean;
  /** All Databases instead of those in files. */
  readonly all: boolean;
  /** A file with the catalogue that there would be. */
  readonly catalogue: string | undefined;
  /** The text of the platform's releasePolicy that there would be. */
  readonly releasePolicy: string | undefined;
  readonly output: Output;
}

/** How what was found out is printed. */
export type Output = "text" | "json";

export type ParsedArguments =
  | { readonly kind: "preview"; readonly asked: Arguments }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

/** Reads `args`, the command line without the program. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) return { kind: "help" };
    const files = positionals.filter((file) => file !== "");
    const { namespace, delete: remove, refresh, output, all, catalogue, "release-policy": releasePolicy } = values;
    const misused = misuseOf(files, { all, catalogue, releasePolicy, remove });
    if (misused !== undefined) return { kind: "wrong", message: misused };
    if (output !== "text" && output !== "json")
      return { kind: "wrong", message: `--output is ${output}: write text or json` };
    const asked = {
      files,
      namespace,
      serverSide: values["server-side"],
      remove,
      refresh,
      all,
      catalogue,
      releasePolicy,
      output,
    } as const;
    return { kind: "preview", asked };
  } catch (error) {
    return { kind: "wrong", message: error instanceof Error ? error.message : String(error) };
  }
}

function misuseOf(
  files: readonly string[],
  { all, catalogue, releasePolicy, remove }: Pick<Arguments, "all" | "catalogue" | "releasePolicy" | "remove">,
): string | undefined {
  if (all && (files.length > 0 || remove)) return "--all is of the Databases as they are: leave out files and --delete";
  if (!all && catalogue !== undefined) return "--catalogue needs --all";
  if (!all && releasePolicy !== undefined) return "--release-policy needs --all";
  return all || files.length > 0 ? undefined : "name a file: make preview FILE=db.yaml";
}

const options = {
  namespace: { type: "string", short: "n" },
  "server-side": { type: "boolean", default: false },
  delete: { type: "boolean", default: false },
  refresh: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  catalogue: { type: "string" },
  "release-policy": { type: "string" },
  output: { type: "string", short: "o", default: "text" },
  help: { type: "boolean", short: "h", default: false },
} as const;
