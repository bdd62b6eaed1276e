// The licenses of what is in the plugin's file: they come with every copy.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** Of the packages that `inputs`, paths below `root`, are of; in the order of their names. */
export async function noticesOf(root: string, inputs: readonly string[]): Promise<string> {
  const directories = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const notices = await Promise.all([...directories].map((directory) => noticeOf(join(root, directory))));
  return ["The plugin contains the following packages.\n", ...notices.sort()].join("\n");
}

async function noticeOf(directory: string): Promise<string> {
  const { name, version, license } = Manifest.parse(
    JSON.parse(await readFile(join(directory, "package.json"), "utf8")),
  );
  const files = (await readdir(directory)).filter((file) => /^(license|notice|copying)(\.|$)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  return [`${name} ${version} (${license})\n`, ...texts.map((text) => `${text.trim()}\n`)].join("\n");
}
