// A member that is cut off from the others or from the Kubernetes API, while clients reach all of them.
import { cutOff, type CutOff } from "../cluster/isolation";
import { isSandbox } from "../cluster/pod-processes";
import type { Fault } from "./fault";

/** Long enough for every lease and every time limit of an engine to run out. */
const holdMs = 40_000;

function cutOffFrom(from: CutOff, title: string): Fault {
  return {
    title,
    hold: { kind: "for", ms: holdMs },
    async strike({ primary, processes, directory }) {
      // the others may end meanwhile, and with them the way into the pod's network
      const sandbox = (await processes.of(primary.uid)).find(isSandbox);
      if (sandbox === undefined) throw new Error(`${primary.name} has no sandbox`);
      return cutOff(directory, sandbox.pid, from);
    },
  };
}

export const isolated = cutOffFrom(
  "members and services",
  "the primary is cut off from the other members, the Kubernetes API and DNS for 40 s; clients reach it",
);

export const cutOffFromMembers = cutOffFrom(
  "members",
  "the primary is cut off from the other members only for 40 s; clients and the Kubernetes API reach it",
);

export const cutOffFromApi = cutOffFrom(
  "services",
  "the primary is cut off from the Kubernetes API and DNS only for 40 s; clients and the other members reach it",
);
