// What does not touch the members themselves, but what they stand on.
import { layoutOf } from "../../../tools/cluster/layout";
import { openProcesses } from "../../../tools/cluster/processes";
import type { Fault } from "./fault";

export const apiFrozen: Fault = {
  title: "the Kubernetes API hangs for 45 s: it accepts connections and never answers",
  // longer than any lease of a member and than kubelet waits for a program that does not answer
  hold: { kind: "for", ms: 45_000 },
  strike({ directory }) {
    const pid = openProcesses(layoutOf(directory)).pid("kube-apiserver");
    if (pid === undefined) throw new Error("the cluster has no API server that runs");
    process.kill(pid, "SIGSTOP");
    return Promise.resolve(() => {
      process.kill(pid, "SIGCONT");
      return Promise.resolve();
    });
  },
};
