// Faults that come without notice: signals from this machine, and deletions without grace.
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "../../../test/harness/eventually";
import { sendSignal } from "../../../test/harness/signal";
import type { Member } from "../cluster/members";
import { isSandbox, mainProcess, type PodProcesses } from "../cluster/pod-processes";
import type { Fault, Scene } from "./fault";

export const kill: Fault = {
  title: "the primary's server process gets SIGKILL",
  async strike({ primary, processes, subject }) {
    sendSignal(mainProcess(await processes.of(primary.uid), subject.engine.process).pid, "SIGKILL");
    return undefined;
  },
};

export const podDeletion: Fault = {
  title: "the primary's pod is deleted by force, without grace",
  async strike(scene) {
    await deleteByForce(scene, [scene.primary]);
    return undefined;
  },
};

export const allPodsDeleted: Fault = {
  title: "all pods are deleted by force, at once",
  async strike(scene) {
    await deleteByForce(scene, scene.subject.members());
    return undefined;
  },
};

async function deleteByForce({ kubectl, subject }: Omit<Scene, "primary">, members: readonly Member[]): Promise<void> {
  const names = members.map(({ name }) => name);
  await kubectl("delete", "pod", ...names, "-n", subject.namespace, "--force", "--grace-period=0");
  // else the watch could show them as if nothing had happened
  await eventually(() => {
    const known = subject.members().find(({ uid }) => members.some((member) => member.uid === uid));
    if (known !== undefined) throw new Error(`${known.name} is still known`);
  });
}

export const allKilled: Fault = {
  title: "all processes of all members get SIGKILL at once",
  // kubelet waits longer and longer before it starts containers that end again and again: new pods have nothing to wait for
  prepare: (scene) => deleteByForce(scene, scene.subject.members()),
  async strike({ subject, processes }) {
    const found = await Promise.all(subject.members().map(({ uid }) => processes.of(uid)));
    for (const process of found.flat()) if (!isSandbox(process)) sendSignal(process.pid, "SIGKILL");
    return undefined;
  },
};

/** Between two looks whether something has come back, in milliseconds: a program of an engine takes longer to do anything. */
const lookMs = 20;

export const keptAway: Fault = {
  title: "all processes of the primary's pod get SIGKILL, and so does all that comes back",
  hold: { kind: "until written", thenMs: 5000 },
  async strike(scene) {
    const { primary, processes } = scene;
    const killAll = async (): Promise<void> => {
      for (const process of await processes.of(primary.uid))
        if (!isSandbox(process)) sendSignal(process.pid, "SIGKILL");
    };
    await killAll();
    const ended = new AbortController();
    const keeping = (async () => {
      while (!ended.signal.aborted) {
        await delay(lookMs);
        await killAll();
      }
    })();
    return async () => {
      ended.abort();
      await keeping;
      // kubelet waits longer and longer before it starts these containers again: a new pod has nothing to wait for
      await deleteByForce(scene, [primary]);
    };
  },
};

export const frozen: Fault = {
  title: "all processes of the primary's pod get SIGSTOP from the node; later SIGCONT",
  hold: { kind: "until written", thenMs: 5000 },
  async strike({ primary, processes }) {
    await freeze(primary.uid, processes);
    return async () => {
      for (const process of await processes.of(primary.uid)) sendSignal(process.pid, "SIGCONT");
    };
  },
};

export const agentFrozen: Fault = {
  title:
    "the process beside the primary's server that decides who leads (Patroni, or the agent) gets SIGSTOP; 40 s later SIGCONT",
  // long enough for every lease to run out, and for a probe to notice
  hold: { kind: "for", ms: 40_000 },
  async strike({ primary, processes, subject }) {
    const { pid } = mainProcess(await processes.of(primary.uid), subject.engine.agent);
    sendSignal(pid, "SIGSTOP");
    return async () => {
      // its container may have ended meanwhile
      const left = (await processes.of(primary.uid)).find((process) => process.pid === pid);
      if (left !== undefined) sendSignal(pid, "SIGCONT");
    };
  },
};

/** A process that was about to start another one may have done so: looked at again until all stand still. */
function freeze(uid: string, processes: PodProcesses): Promise<void> {
  return eventually(
    async () => {
      const running = (await processes.of(uid)).filter(({ state }) => state !== "T");
      for (const process of running) sendSignal(process.pid, "SIGSTOP");
      if (running.length > 0) throw new Error("not all processes are frozen");
    },
    { everyMs: 5 },
  );
}
