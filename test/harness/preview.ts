// `make preview` and `make state` as programs, and the proof that they wrote nothing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { childKinds } from "../../components/naming";
import { compiledPrograms } from "./compiled";
import type { Kubectl } from "./kubectl";
import { kubeconfigOf } from "./platform-cluster";

export interface Printed {
  readonly code: number | null;
  /** Both streams. */
  readonly output: string;
}

const root = join(__dirname, "../..");

/** Everything that was printed by programs of this file, to look for secrets in. */
export const printed: string[] = [];

/** The program's process, for tests that end it early; `input` is what `-` reads. */
export async function startPreview(
  environment: Readonly<Record<string, string>>,
  input: string,
  ...args: string[]
): Promise<{ readonly pid: number; readonly ended: Promise<Printed> }> {
  const { preview } = await compiledPrograms();
  return start([preview, ...args, "-"], environment, input);
}

/** Previews objects, as YAML or JSON text. */
export async function runPreview(
  environment: Readonly<Record<string, string>>,
  input: unknown,
  ...args: string[]
): Promise<Printed> {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return (await startPreview(environment, text, ...args)).ended;
}

/** Copies a Database's state to stacks/database. */
export async function runState(environment: Readonly<Record<string, string>>, key: string): Promise<Printed> {
  const { state } = await compiledPrograms();
  return start([state, key], environment, "").ended;
}

function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: string,
): { readonly pid: number; readonly ended: Promise<Printed> } {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...environment } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  child.stdin.on("error", () => undefined).end(input);
  const ended = new Promise<Printed>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      printed.push(output);
      resolve({ code, output });
    });
  });
  return { pid: child.pid ?? 0, ended };
}

const kinds = ["databases", "pods", ...Object.values(childKinds).map(({ plural }) => plural)]
  // not every cluster knows them
  .filter((plural) => plural !== childKinds.ServiceMonitor.plural)
  .join(",");
const Versions = z.array(
  z.object({ kind: z.string(), metadata: z.object({ name: z.string(), resourceVersion: z.string() }) }),
);

/** resourceVersions of all that is in these namespaces. */
async function versionsIn(kubectl: Kubectl, ...namespaces: string[]): Promise<string[]> {
  const lists = await Promise.all(
    namespaces.map(async (namespace) => {
      const objects = Versions.parse(await kubectl.list(kinds, { namespace }));
      return objects.map(({ kind, metadata }) => `${namespace} ${kind} ${metadata.name} ${metadata.resourceVersion}`);
    }),
  );
  return lists.flat().sort();
}

/** Does it, and sees that nothing was written in these namespaces meanwhile. */
export async function withoutWrites<T>(
  kubectl: Kubectl,
  namespaces: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const before = await versionsIn(kubectl, ...namespaces);
  const result = await work();
  assert.deepEqual(await versionsIn(kubectl, ...namespaces), before, "something was written");
  return result;
}

/** Asserts the exit code, and that all patterns were printed. */
export function assertEnds({ code, output }: Printed, expected: number, ...patterns: RegExp[]): void {
  for (const pattern of patterns) assert.match(output, pattern);
  assert.equal(code, expected, output);
}

/** Counts in a summary such as "2 created, 20 unchanged" or "2 to create, 20 unchanged", by the stem of the verb. */
export function countsIn(text: string): Record<string, string> {
  const found = text.matchAll(/(\d+) (?:to )?(creat|updat|replac|unchang)/g);
  return Object.fromEntries([...found].map(([, many = "", verb = ""]) => [verb, many]));
}

const State = z.object({ data: z.object({ history: z.string() }) });
const Revisions = z.array(
  z.object({
    ...{ revision: z.number(), summary: z.string(), by: z.string(), seconds: z.number(), at: z.iso.datetime() },
    restarts: z.string().optional(),
  }),
);

/** The history in the Secret with a Database's state, newest first. */
export async function revisionsOf(
  kubectl: Kubectl,
  [namespace, name]: readonly [namespace: string, name: string],
): Promise<z.infer<typeof Revisions>> {
  const secret = State.parse(await kubectl.find("secret", `state.${namespace}.${name}`, "database-operator-system"));
  return Revisions.parse(JSON.parse(Buffer.from(secret.data.history, "base64").toString("utf8")));
}

/** Kubeconfig of a user who may edit Databases of one namespace, and nothing else. */
export async function developerKubeconfig(kubectl: Kubectl, namespace: string): Promise<string> {
  const account = ["-n", namespace, `--serviceaccount=${namespace}:developer`];
  await kubectl("create", "serviceaccount", "developer", "-n", namespace);
  await kubectl("create", "role", "developer", "-n", namespace, "--verb=*", "--resource=databases.example.com");
  await kubectl("create", "rolebinding", "developer", "--role=developer", ...account);
  return kubeconfigOf("developer", kubectl, namespace);
}

/** Kubeconfig of a user who may do anything, with a token: a certificate would not pass the proxy. */
export async function administratorKubeconfig(kubectl: Kubectl, namespace: string): Promise<string> {
  await kubectl("create", "serviceaccount", "administrator", "-n", namespace);
  const account = `--serviceaccount=${namespace}:administrator`;
  await kubectl("create", "clusterrolebinding", "test-administrator", "--clusterrole=cluster-admin", account);
  return kubeconfigOf("administrator", kubectl, namespace);
}

/** Private directories of runs and previews on this machine, of any process. */
export async function previewDirectories(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => /^database-operator-(run|preview)-/.test(name));
}

/** What of a Secret's data nothing may print, as it is and encoded. */
export const passwordsIn = (data: Readonly<Record<string, string>>): string[] =>
  Object.entries(data)
    .filter(([key]) => /password|uri|passphrase/.test(key))
    .flatMap(([, encoded]) => [encoded, Buffer.from(encoded, "base64").toString("utf8")]);
