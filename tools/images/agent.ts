// What an image holds beside its server when members run under an agent: the compiled agent, Node, and programs that are built here.
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { EngineName } from "../../contract/engines";
import { buildTools } from "../build/build";
import { compiled } from "../compile/compile";
import { type Log, run } from "../host/command";
import { progressTo } from "../progress";
import type { Contents } from "./contents";
import { nodeProgram } from "./node-program";

/** The agent of an engine, Node, and the pinned programs of these names, whatever is on PATH. */
export function agentContents(engine: EngineName, programs: readonly string[] = []): Contents {
  return {
    async key(log) {
      const built = (await builtPrograms(programs, log)).map((program) => basename(dirname(program)));
      const node = await run(await nodeProgram(), ["--version"]);
      // of the program itself: the sources of the operator, and of other engines, do not decide this image
      const agent = createHash("sha256").update(await readFile(await agentProgram(engine)));
      return { built, node, agent: agent.digest("hex") };
    },
    async copyTo(context, log) {
      const bin = join(context, "bin");
      await mkdir(bin, { recursive: true });
      for (const program of [...(await builtPrograms(programs, log)), await nodeProgram()]) {
        await cp(program, join(bin, basename(program)));
      }
      const agent = join(context, "agent.js");
      await cp(await agentProgram(engine), agent);
      // COPY takes rights as they are, and members are another user
      await chmod(agent, 0o644);
    },
  };
}

/** The file that is the agent, without its launcher: its first start after a build is not worth a cache. */
async function agentProgram(engine: EngineName): Promise<string> {
  const agent = (await compiled())[`agent-${engine}`];
  return join(dirname(agent), "programs", basename(agent));
}

async function builtPrograms(names: readonly string[], log: Log): Promise<string[]> {
  if (names.length === 0) return [];
  if (process.platform !== "linux") throw new Error("the image holds programs that are built here: build it on Linux");
  const directories = await buildTools(names, { progress: progressTo(log) });
  return names.map((name, index) => join(directories[index] ?? "", name));
}
