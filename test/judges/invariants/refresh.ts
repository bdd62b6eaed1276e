// Lets Pulumi itself compare stored states with the cluster: `pulumi refresh --preview-only` over a copy of each.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { stackNameOf } from "../../../operator/domain/stack-names";
import { readSecret, type Kubectl } from "../../harness/kubectl";
import { CommandError, run } from "../../../tools/host/command";
import { decoded } from "./parse";
import { keyOf, operatorNamespace, type Snapshot, type StateView } from "./snapshot";
import { standingOf } from "./standing";

const Salted = z.object({
  checkpoint: z.object({
    latest: z.object({ secrets_providers: z.object({ state: z.object({ salt: z.string() }) }) }),
  }),
});

/** What a refresh of each settled Database would change; pulumi must be on PATH, as must a KUBECONFIG be in `environment`. */
export async function refreshProblems(
  { databases, states }: Pick<Snapshot, "databases" | "states">,
  kubectl: Kubectl,
  environment: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const key = await readSecret(kubectl, "database-operator-state-key", operatorNamespace);
  const passphrase = decoded(key["passphrase"] ?? "");
  const problems: string[] = [];
  for (const database of databases.filter((candidate) => standingOf(candidate) === "settled")) {
    const stack = stackNameOf(database.namespace, database.name);
    const state = states.find((candidate) => candidate.stack === stack);
    const problem = state && (await refreshProblem(state, { ...environment, PULUMI_CONFIG_PASSPHRASE: passphrase }));
    if (problem !== undefined) problems.push(`${keyOf(database)}: ${problem}`);
  }
  return problems;
}

async function refreshProblem(
  { stack, checkpoint = "" }: StateView,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { salt } = Salted.parse(JSON.parse(checkpoint)).checkpoint.latest.secrets_providers.state;
  const directory = await mkdtemp(join(tmpdir(), "invariants-"));
  const stacks = join(directory, "state/.pulumi/stacks/databases");
  try {
    await mkdir(stacks, { recursive: true });
    await writeFile(join(stacks, `${stack}.json`), checkpoint, { mode: 0o600 });
    await writeFile(join(directory, "Pulumi.yaml"), "name: databases\nruntime: nodejs\n");
    await writeFile(join(directory, `Pulumi.${stack}.yaml`), `encryptionsalt: ${salt}\n`);
    const args = ["refresh", "--preview-only", "--expect-no-changes", "--diff", "--non-interactive", "--stack", stack];
    await run("pulumi", args, {
      cwd: directory,
      env: {
        ...environment,
        PULUMI_HOME: join(directory, "home"),
        PULUMI_BACKEND_URL: `file://${join(directory, "state")}`,
        PULUMI_SKIP_UPDATE_CHECK: "true",
      },
    });
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return error.printed;
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
