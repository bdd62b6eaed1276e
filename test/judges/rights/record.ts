// Each file of tests that starts a cluster leaves here what the operator's identity used in it; the run puts it together.
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { presentFile } from "../../runner/notes";
import { readUsage, type Identity } from "./usage";

/** Names the directory; without it nothing is left. Set from outside, it is kept, to compare several runs together. */
const directoryVariable = "DATABASE_OPERATOR_TEST_RIGHTS";

const Recorded = z.object({ file: z.string(), used: z.array(z.string()), refused: z.array(z.string()) });

/** What was used in one cluster, and the file of tests that it was for. */
export type Recorded = z.infer<typeof Recorded>;

/** Reads a cluster's audit log before the cluster ends. */
export async function recordUsage(auditLog: string, identity: Identity): Promise<void> {
  const directory = process.env[directoryVariable];
  if (directory === undefined) return;
  const usage = await readUsage(auditLog, identity);
  const recorded: Recorded = {
    file: presentFile(),
    used: [...usage.used],
    refused: [...usage.refused],
  };
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, `${randomUUID()}.json`), JSON.stringify(recorded));
}

/** Everything that was left in the directory. */
export async function readRecorded(directory: string): Promise<readonly Recorded[]> {
  const names = await readdir(directory);
  return Promise.all(
    names.map(async (name) => Recorded.parse(JSON.parse(await readFile(join(directory, name), "utf8")))),
  );
}

/** What the files of tests of one run leave. */
export interface Records {
  /** Reads all of it, and removes the directory. */
  close(): Promise<readonly Recorded[]>;
}

/** Creates the directory, and names it to the processes that this one starts. */
export async function openRecords(): Promise<Records> {
  const given = process.env[directoryVariable];
  const directory = given ?? (await mkdtemp(join(tmpdir(), "rights-")));
  await mkdir(directory, { recursive: true });
  process.env[directoryVariable] = directory;
  return {
    async close() {
      const recorded = await readRecorded(directory);
      if (given === undefined) await rm(directory, { recursive: true });
      return recorded;
    },
  };
}
