// Whether a volume has room for the files of a target beside those of a version, and for a copy of these where it must be one.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { output } from "../../restore/output";
import { roomOn } from "../../volume/room";
import { roomProblem } from "./reading";
import { Refusal } from "./refusal";
import type { Places } from "./volume";

/** Throws where it has not. `files`: those of the version; what is measured of the volume is as it is with them. */
export async function requireRoom(
  { volume, work }: Pick<Places, "volume" | "work">,
  files: string,
  room: typeof roomOn = roomOn,
): Promise<{ readonly sharesBlocks: boolean }> {
  const probe = join(work, "probe");
  const sharesBlocks = await output("cp", ["--reflink=always", join(files, "PG_VERSION"), probe]).then(
    () => true,
    () => false,
  );
  await rm(probe, { force: true });
  const bytes = Number((await output("du", ["--summarize", "--block-size=1", files])).split("\t")[0]);
  const problem = roomProblem({ free: (await room(volume)).free, bytes, sharesBlocks });
  if (problem !== undefined) throw new Refusal(problem);
  return { sharesBlocks };
}
