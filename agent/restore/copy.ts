// The copy of a backup on the data volume.
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { roomOn } from "../volume/room";
import { mebibytes, problemOf, usualMargin, type Found } from "./decide";
import { output } from "./output";

const progressMs = 30_000;

/** What is copied. */
export interface Copying {
  readonly label: string;
  /** Its directory on the backup volume, named after it or within one that is. */
  readonly from: string;
  readonly to: string;
  /** The backup volume. */
  readonly backups: string;
  /** Why the server of this image cannot have its files. */
  readonly unfit: string | undefined;
  /** Bytes that must be free beside it. Default: what PostgreSQL needs. */
  readonly margin?: number;
  readonly log: (message: string) => void;
}

/** Copies it. Throws where it cannot be restored, before anything is written. */
export async function copyBackup(copying: Copying): Promise<void> {
  const found = await lookAt(copying);
  const problem = problemOf(found);
  if (problem !== undefined) throw new Error(problem);
  await copyFiles(copying, found.bytes);
}

/** What is known before it is copied. */
export async function lookAt({ label, from, to, backups, unfit, margin = usualMargin }: Copying): Promise<Found> {
  const bytes = Number((await output("du", ["--summarize", "--block-size=1", from]).catch(() => "0")).split("\t")[0]);
  const { free } = await roomOn(dirname(to));
  return { label, labels: await readdir(backups), unfit, bytes, free, margin };
}

/** Copies its files, of so many bytes. */
export async function copyFiles({ from, to, log }: Copying, bytes: number): Promise<void> {
  const { free } = await roomOn(dirname(to));
  log(`copying ${from}: ${mebibytes(bytes)}`);
  const progress = setInterval(() => {
    roomOn(dirname(to)).then(
      ({ free: left }) => {
        log(`copied ${Math.min(99, Math.floor((100 * Math.max(0, free - left)) / Math.max(1, bytes)))} %`);
      },
      () => undefined,
    );
  }, progressMs);
  try {
    await output("cp", ["--archive", "--reflink=auto", from, to]);
  } finally {
    clearInterval(progress);
  }
}
