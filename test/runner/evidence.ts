// Where the clusters of failed files leave what there is to look into: a directory for each file, removed where nothing failed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileEnd } from "./suite-run";

/** Names the directory: of the run for the runner, of the file for the process of its tests. */
export const evidenceVariable = "DATABASE_OPERATOR_TEST_EVIDENCE";

/** The evidence of one run. */
export interface EvidenceStore {
  /** What the process of a file is told. */
  environmentOf(file: string): Readonly<Record<string, string>>;
  /** The file is over: where its evidence is, if anything failed and left some; else it is removed. */
  settle(end: FileEnd): string | undefined;
  /** Removes the directory where it is empty. */
  close(): void;
}

/** The last warnings in the events that were kept at the first failure: where a run's output is all that is left, they show most. */
export function lastWarningsIn(directory: string, most = 8): string[] {
  if (!existsSync(directory)) return [];
  const [first] = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("events.txt"))
    .sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
  if (first === undefined) return [];
  const lines = readFileSync(join(directory, first), "utf8").split("\n");
  return lines.filter((line) => line.split(" ")[1] === "Warning").slice(-most);
}

/** A path as one name. */
export const nameOf = (file: string): string => file.replaceAll(/[^\w.-]+/g, "-");

/** The store in the directory that the environment names; default: a new one for temporary files. */
export function openEvidence(
  root = process.env[evidenceVariable] ?? join(tmpdir(), `test-evidence-${process.pid}`),
): EvidenceStore {
  const directoryOf = (file: string): string => join(root, nameOf(file));
  return {
    environmentOf(file) {
      mkdirSync(root, { recursive: true });
      // what an earlier run left there is about another one
      rmSync(directoryOf(file), { recursive: true, force: true });
      return { [evidenceVariable]: directoryOf(file) };
    },
    settle({ file, ends }) {
      const directory = directoryOf(file);
      if (ends.some(({ result }) => result === "failed")) return existsSync(directory) ? directory : undefined;
      rmSync(directory, { recursive: true, force: true });
      return undefined;
    },
    close() {
      try {
        rmdirSync(root);
      } catch {
        // not there, or something is kept in it
      }
    },
  };
}
