// The plugin as a single executable: Node itself, with the program in it (https://nodejs.org/api/single-executable-applications.html).
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../host/command";
import { nodeProgram } from "../images/node-program";

/** By which Node finds that there is a program in it. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Writes it to `file`, from the text of the bundle. For the machine that this runs on. */
export async function writeExecutable(file: string, bundle: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "plugin-"));
  try {
    const node = await nodeProgram();
    await copyFile(node, file);
    await inject(file, await preparedIn(directory, node, bundle));
    await chmod(file, 0o755);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** What Node makes of the program, with its compiled code. */
async function preparedIn(directory: string, node: string, bundle: string): Promise<Buffer> {
  const [main, output, config] = ["main.js", "blob", "config.json"].map((name) => join(directory, name));
  if (main === undefined || output === undefined || config === undefined) throw new Error("unreachable");
  await writeFile(main, bundle.replace(/^#!.*\n/, ""));
  await writeFile(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, useCodeCache: true }));
  await run(node, ["--experimental-sea-config", config]);
  return readFile(output);
}

async function inject(file: string, blob: Buffer): Promise<void> {
  const { inject: into } = await import("postject");
  await into(file, "NODE_SEA_BLOB", blob, { sentinelFuse: fuse });
}
