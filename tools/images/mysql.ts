// What the image of MySQL holds beside Debian's packages: the compiled agent, and Node to run it.
import { chmod, cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createHash } from "node:crypto";
import { compiled } from "../compile/compile";
import { run } from "../host/command";
import type { Contents } from "./contents";
import { nodeProgram } from "./node-program";

/** The file that is the agent, without its launcher: its first start after a build is not worth a cache. */
async function agentProgram(): Promise<string> {
  const { agent } = await compiled();
  return join(dirname(agent), "programs", "agent.js");
}

/** See the header. */
export const mysqlContents: Contents = {
  async key() {
    const node = await run(await nodeProgram(), ["--version"]);
    // of the program itself: the sources of the operator do not decide this image
    const agent = createHash("sha256").update(await readFile(await agentProgram()));
    return { node, agent: agent.digest("hex") };
  },
  async copyTo(context) {
    const bin = join(context, "bin");
    await mkdir(bin);
    await cp(await nodeProgram(), join(bin, "node"));
    const agent = join(context, "agent.js");
    await cp(await agentProgram(), agent);
    // COPY takes rights as they are, and the agent is another user
    await chmod(agent, 0o644);
  },
};
