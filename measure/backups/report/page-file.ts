// docs/backups.md, from all that is on record.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { readResults as readProofs } from "../../../test/judges/reliability/results";
import { readRotation } from "../../../test/runner/rotation-record";
import { acceptanceCases } from "../acceptance/cases";
import { pageOf } from "./page";
import { latestOf, readResults } from "./results";

const page = join(__dirname, "../../../docs/backups.md");

async function content(): Promise<string> {
  const measured = latestOf(await readResults());
  const text = pageOf(acceptanceCases, { ...measured, rotation: readRotation(), proofs: readProofs() });
  return format(text, { ...(await resolveConfig(page)), filepath: page });
}

export async function writePage(): Promise<void> {
  await writeFile(page, await content());
}

/** Whether the page is what is on record. */
export async function isCurrent(): Promise<boolean> {
  return (await readFile(page, "utf8").catch(() => "")) === (await content());
}
