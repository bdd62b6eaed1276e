// The outside of a baseline: its process, and what that costs.
import { fork } from "node:child_process";
import { join } from "node:path";
import { openGroup } from "../instruments/groups";
import type { ProcessGroup } from "../instruments/process-group";
import { Answer, type CommandInput } from "./protocol";

export interface BaselineProcess {
  readonly group: ProcessGroup;
  /** Executes a command there. Throws where it failed. */
  ask(command: CommandInput): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts `baselines/<name>.ts`; resolves once it has loaded. */
export async function startBaseline(
  name: "stock" | "floor" | "previewer",
  environment: Readonly<Record<string, string>>,
): Promise<BaselineProcess> {
  const group = openGroup(name);
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  const { child, loaded } = await group.starting(() => {
    const started = fork(join(__dirname, `${name}.ts`), {
      execArgv: ["--import", "tsx"],
      env: { HOME: process.env["HOME"], ...environment },
    });
    return Promise.resolve({ child: started, loaded: new Promise((resolve) => started.once("message", resolve)) });
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      for (const { reject } of waiting.values()) reject(new Error(`the process of ${name} ended`));
      resolve();
    });
  });
  await Promise.race([loaded, exited]);
  if (child.exitCode !== null) throw new Error(`the process of ${name} ended as it started`);
  if (child.pid !== undefined) group.include(child.pid);
  child.on("message", (message) => {
    const answer = Answer.parse(message);
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(`${name}: ${answer.error}`));
  });
  let last = 0;
  return {
    group,
    ask(command) {
      const asked = Promise.withResolvers<Answer>();
      last += 1;
      waiting.set(last, asked);
      child.send({ id: last, command });
      return asked.promise;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
      group.close();
    },
  };
}
