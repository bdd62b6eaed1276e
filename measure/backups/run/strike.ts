// One SIGKILL in the middle of a Job.
import { isSandbox } from "../../availability/cluster/pod-processes";
import type { Kill } from "../scenarios";
import type { JobWatch } from "./job";
import type { JobPod } from "./program-spans";
import type { Scene } from "./scene";

/** What programs say when they begin to copy. */
export const copying = {
  backup: /are copied|copying from|ready for connections/,
  restore: /copying/,
} as const;

/** Waits until the Job copies, and strikes once. */
export async function strike(
  { stage, kubectl, namespace }: Scene,
  { kill, watch, at }: { readonly kill: Kill; readonly watch: JobWatch; readonly at: keyof typeof copying },
): Promise<void> {
  if (kill === "nothing") return;
  const pod = await watch.untilSaid(copying[at]);
  const acts: Readonly<Record<Exclude<Kill, "nothing">, (pod: JobPod) => Promise<unknown>>> = {
    operator: () => stage.killOperator(),
    job: async ({ uid }) => {
      for (const process of await stage.processes.of(uid)) if (!isSandbox(process)) endProcess(process.pid);
    },
    pod: ({ name }) => kubectl("delete", "pod", name, "-n", namespace, "--force", "--grace-period=0"),
  };
  await acts[kill](pod);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // one of them may have ended with its parent
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
