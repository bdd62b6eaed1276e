// What the operator's image consists of: the compiled operator and console, Node, and the Pulumi programs.
import { chmod, cp, mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { buildTools } from "../build/build";
import { compiled } from "../compile/compile";
import { type Log, run } from "../host/command";
import { progressTo } from "../progress";
import type { Contents } from "./contents";
import { nodeProgram } from "./node-program";

const PULUMI = ["pulumi", "pulumi-resident", "pulumi-resource-kubernetes"];

/** Of the operator, and of the shared console, which another Deployment runs. */
const programFiles = ["operator", "console"].flatMap((name) => [`${name}.js`, `programs/${name}.js`]);

/** Whatever is on PATH: the image gets the pinned programs. Throws where Go is missing or this is not Linux. */
export const operatorContents: Contents = {
  async key(log) {
    const programs = await pulumiPrograms(log);
    const { operator } = await compiled();
    const node = await run(await nodeProgram(), ["--version"]);
    // a program's directory is named after all that decides it
    const built = programs.map((program) => basename(dirname(program)));
    return { built, node, sources: await readFile(join(dirname(operator), ".sources"), "utf8") };
  },
  async copyTo(context, log) {
    const bin = join(context, "bin");
    await mkdir(bin);
    for (const program of await pulumiPrograms(log)) await cp(program, join(bin, basename(program)));
    await cp(await nodeProgram(), join(bin, "node"));
    const { operator } = await compiled();
    const from = dirname(operator);
    const to = join(context, "operator");
    for (const file of [...programFiles, "node-arguments"]) {
      await cp(join(from, file), join(to, file));
      // COPY takes rights as they are, and the operator is another user
      await chmod(join(to, file), 0o644);
    }
    for (const directory of [to, join(to, "programs")]) await chmod(directory, 0o755);
  },
};

async function pulumiPrograms(log: Log): Promise<string[]> {
  if (process.platform !== "linux") {
    throw new Error("the operator's image holds programs that are built here: build it on Linux");
  }
  const directories = await buildTools(PULUMI, { progress: progressTo(log) });
  return PULUMI.map((name, index) => join(directories[index] ?? "", name));
}
