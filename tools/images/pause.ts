// Compiles the pause program, the first process of pod sandboxes and of real nodes.
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../directories";
import { type Log, run } from "../host/command";
import { isPresent } from "../host/packages";
import { contentHash } from "./content-hash";
import type { Contents } from "./contents";
import { imageDirectory } from "./directory";

/** The image holds the program and nothing else. */
export const pauseContents: Contents = {
  // its source is in the image's directory
  key: () => Promise.resolve([]),
  async copyTo(context, log) {
    await cp(await pauseProgram(log), join(context, "pause"));
  },
};

/** Path of the pause program, compiled into the cache when it is not there yet. Needs Go. */
export async function pauseProgram(log: Log): Promise<string> {
  const source = imageDirectory("pause");
  const directory = join(cacheDirectory(), "tools", `pause-${await contentHash(source, process.arch)}`);
  const program = join(directory, "pause");
  if (await isPresent(program)) return program;
  log("compiling the pause program");
  await mkdir(directory, { recursive: true });
  const unfinished = `${program}.${process.pid}`;
  try {
    const flags = ["-buildvcs=false", "-trimpath", "-ldflags", "-s -w"];
    await run("go", ["build", ...flags, "-o", unfinished, "."], {
      cwd: source,
      env: { CGO_ENABLED: "0", GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" },
    });
    // a name appears only when its file is whole
    await rename(unfinished, program);
  } finally {
    await rm(unfinished, { force: true });
  }
  return program;
}
