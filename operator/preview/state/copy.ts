// Lays a stack out for plain Pulumi: state, history, program, key, and the variables under which they are found.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Revision } from "../../domain/records";
import { stringify } from "yaml";
import type { DatabaseProgram } from "../../domain/desired";
import { pulumiEnvironment } from "../../stack/environment";
import { project as pulumiProject } from "../../domain/stack-names";
import { historyFilesOf } from "./history";
import { copyOf, programFile } from "./program-file";

/** What is laid out. */
export interface Copy {
  readonly stack: string;
  readonly program: DatabaseProgram;
  readonly checkpoint: { readonly text: string; readonly salt: string };
  readonly history: readonly Revision[];
  readonly passphrase: string;
}

/** Where it is laid out, and what its variables refer to. */
export interface CopyTarget {
  /** The Pulumi project. */
  readonly project: string;
  /** Directories with pulumi, its plugins and Node. */
  readonly path: readonly string[];
  readonly kubeconfig: string | undefined;
}

/** Writes the copy again, readable by this user only, and returns its directory. */
export async function layOut(copy: Copy, target: CopyTarget): Promise<string> {
  const { stack, program, checkpoint, history, passphrase } = copy;
  const directory = copyOf(target.project, stack);
  const [stacks, past] = ["stacks", "history"].map((part) => join(directory, ".pulumi", part, pulumiProject));
  await rm(directory, { recursive: true, force: true });
  const files: Record<string, string> = {
    [join(directory, programFile)]: JSON.stringify(program),
    [join(directory, "passphrase")]: passphrase,
    [join(directory, "env")]: variables(directory, stack, target),
    [join(directory, "..", `Pulumi.${stack}.yaml`)]: stringify({ encryptionsalt: checkpoint.salt }),
    [join(stacks ?? "", `${stack}.json`)]: checkpoint.text,
  };
  for (const { name, text } of historyFilesOf(stack, history)) files[join(past ?? "", stack, name)] = text;
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
  }
  return directory;
}

/** To be read by a shell: every pulumi command then finds the copy. */
function variables(directory: string, stack: string, { path, kubeconfig }: CopyTarget): string {
  const values: Record<string, string> = {
    PULUMI_STACK: stack,
    PULUMI_BACKEND_URL: `file://${directory}`,
    PULUMI_HOME: join(directory, "home"),
    PULUMI_CONFIG_PASSPHRASE_FILE: join(directory, "passphrase"),
    ...pulumiEnvironment,
    // the operator's program was checked already
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
  };
  const lines = Object.entries(values).map(([name, value]) => `export ${name}=${quoted(value)}`);
  return [...lines, `export PATH=${quoted(path.join(":"))}:"$PATH"`, ""].join("\n");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
