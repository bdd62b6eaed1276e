// What a copied stack declares, as a file: the desired state, the passwords and the certificates of one Database.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { serverTlsModes } from "../../../contract/tls";
import { DatabaseSpec } from "../../api/spec";
import type { DatabaseProgram } from "../../domain/desired";
import { DesiredRestore } from "../../domain/restore";

const Program = z.object({
  desired: z.object({
    owner: z.object({ name: z.string(), namespace: z.string(), uid: z.string() }),
    spec: DatabaseSpec,
    image: z.string(),
    config: z.record(z.string(), z.string()),
    serviceMonitors: z.boolean(),
    keptBackups: z.array(z.string()).optional(),
    restore: DesiredRestore.optional(),
    tls: z.enum(serverTlsModes).optional(),
    finalBackup: z.string().optional(),
  }),
  passwords: z.object({
    app: z.string(),
    superuser: z.string(),
    replication: z.string(),
    monitor: z.string(),
    rest: z.string(),
  }),
  certificates: z.object({ authorities: z.string(), certificate: z.string(), key: z.string() }).optional(),
  claimTemplateStorage: z.string().optional(),
});

/** Where the copy of a stack is, below the Pulumi project `stacks/database`. */
export const copyOf = (project: string, stack: string): string => join(project, ".state", stack);

/** Name of the file in that directory. */
export const programFile = "program.json";

/** The program of a copied stack. Throws, saying what to run, where there is none. */
export async function readProgram(project: string, stack: string): Promise<DatabaseProgram> {
  const text = await readFile(join(copyOf(project, stack), programFile), "utf8").catch(() => {
    throw new Error(`there is no copy of stack ${stack}: run \`make state NAME=namespace/name\` first`);
  });
  return Program.parse(JSON.parse(text));
}
