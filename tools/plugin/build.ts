// `make plugin`: the plugin as one file, with what npm and krew need to install it.
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { version } from "../../package.json";
import { completionFile, pluginName, programFile } from "../../plugin/command/name";
import { completionScript } from "../../plugin/completion";
import { run } from "../host/command";
import { projectRoot } from "../platform/platform";
import { bundledPlugin } from "./bundle";
import { writeExecutable } from "./executable";
import { krewManifest, type Archive } from "./krew";
import { noticesFile, packageManifest } from "./package";

/** What was built. */
export interface BuiltPlugin {
  /** The program, for Node. */
  readonly program: string;
  readonly completion: string;
}

/** Builds program, completion and npm package into `directory`. Default: `dist/plugin`. */
export async function buildPlugin(directory = join(projectRoot, "dist/plugin")): Promise<BuiltPlugin> {
  await mkdir(directory, { recursive: true });
  const program = join(directory, programFile);
  const completion = join(directory, completionFile);
  const { text, notices } = await bundledPlugin(projectRoot);
  await replace(program, text, 0o755);
  await replace(join(directory, noticesFile), notices, 0o644);
  await copyFile(join(projectRoot, "LICENSE"), join(directory, "LICENSE"));
  await replace(completion, completionScript, 0o755);
  await replace(join(directory, "package.json"), `${JSON.stringify(packageManifest(), undefined, 2)}\n`, 0o644);
  return { program, completion };
}

/** Builds the single executable of this machine, its archive and the krew manifest; `url`: where archives will lie. Returns their paths. */
export async function buildRelease(
  url: string,
  directory = join(projectRoot, "dist/plugin/release"),
): Promise<string[]> {
  const { os, arch } = platform();
  const content = join(directory, `${os}-${arch}`);
  await rm(content, { recursive: true, force: true });
  await mkdir(content, { recursive: true });
  const { text, notices } = await bundledPlugin(projectRoot);
  await writeExecutable(join(content, programFile), text);
  await writeFile(join(content, noticesFile), notices);
  await copyFile(join(projectRoot, "LICENSE"), join(content, "LICENSE"));
  const name = `${pluginName}_${version}_${os}_${arch}.tar.gz`;
  const archive = join(directory, name);
  await run("tar", ["-czf", archive, "-C", content, programFile, "LICENSE", noticesFile]);
  const sha256 = createHash("sha256")
    .update(await readFile(archive))
    .digest("hex");
  const manifest = join(directory, `${pluginName}.yaml`);
  await writeFile(manifest, stringify(krewManifest([{ os, arch, uri: `${url}/${name}`, sha256 }]), { lineWidth: 0 }));
  return [join(content, programFile), archive, manifest];
}

function platform(): Pick<Archive, "os" | "arch"> {
  const os = process.platform;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  // macOS starts signed programs only, which is not tried
  if (os === "linux" && (arch === "amd64" || arch === "arm64")) return { os, arch };
  throw new Error(`no single executable is made for ${os} on ${arch}`);
}

/** In one step: who starts it meanwhile gets the old one or the new one. */
async function replace(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text);
  await chmod(draft, mode);
  await rename(draft, file);
}
