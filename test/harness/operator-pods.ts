// The operator as the platform deploys it: its pods, which of them leads, what each wrote, and its processes on the host.
import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { eventually, type Patience } from "./eventually";
import type { Kubectl } from "./kubectl";

const namespace = "database-operator-system";

const Pod = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), deletionTimestamp: z.string().optional() }),
  status: z.object({
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    containerStatuses: z.array(z.object({ restartCount: z.number() })).default([]),
  }),
});
const Pods = z.array(Pod);

/** A pod of the operator. */
export interface OperatorPod {
  readonly name: string;
  readonly uid: string;
  readonly ready: boolean;
  readonly restarts: number;
}

/** The operator's pods that are not about to go, by name. */
export async function operatorPods(kubectl: Kubectl): Promise<OperatorPod[]> {
  const selector = "app.kubernetes.io/name=database-operator";
  return Pods.parse(await kubectl.list("pods", { namespace, selector }))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, status }) => ({
      name: metadata.name,
      uid: metadata.uid,
      ready: status.conditions.some(({ type, status: is }) => type === "Ready" && is === "True"),
      restarts: status.containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const Lease = z.object({ spec: z.object({ holderIdentity: z.string().default("") }) });

/** Who holds the Lease: the name of a pod and what distinguishes its process from those before and after; empty where no operator does. */
export async function leaseHolder(kubectl: Kubectl): Promise<string> {
  return Lease.parse(await kubectl.find("lease", "database-operator-leader", namespace)).spec.holderIdentity;
}

/** The pod that leads. Throws where none does. */
export async function leadingPod(kubectl: Kubectl): Promise<OperatorPod> {
  const holder = await leaseHolder(kubectl);
  const found = (await operatorPods(kubectl)).find(({ name }) => holder.startsWith(`${name}_`));
  if (found === undefined) throw new Error(`no pod leads; the Lease is held by "${holder}"`);
  return found;
}

/** Waits until a pod other than this one leads. */
export function untilAnotherLeads(kubectl: Kubectl, former: OperatorPod, patience: Patience): Promise<OperatorPod> {
  return eventually(async () => {
    const leader = await leadingPod(kubectl);
    if (leader.uid === former.uid) throw new Error(`${former.name} still leads`);
    return leader;
  }, patience);
}

/** Processes of a pod's containers on the host of its node, which is this one; without the one that holds its namespaces. */
export async function processesOf({ uid }: Pick<OperatorPod, "uid">): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const isOwn = async (pid: number): Promise<boolean> => {
    const cgroup = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
    const args = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return cgroup.includes(`pod${uid}`) && !args.startsWith("/pause");
  };
  const own = await Promise.all(pids.map(isOwn));
  return pids.filter((_, index) => own[index]);
}

/** The one of them that the node started: the others descend from it. Throws where there is none, or more than one. */
export async function firstProcessOf(pod: Pick<OperatorPod, "uid" | "name">): Promise<number> {
  const own = await processesOf(pod);
  const parents = await Promise.all(own.map(parentOf));
  const [first, ...others] = own.filter((_, index) => !own.includes(parents[index] ?? 0));
  if (first === undefined || others.length > 0)
    throw new Error(`${pod.name} has ${own.length} processes: ${own.join()}`);
  return first;
}

/** By /proc/<pid>/stat, whose fields follow the command in brackets: the state, then the parent. 0 once it has ended. */
async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") - 0");
  return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
}

const Audited = z.object({
  stage: z.string(),
  verb: z.string(),
  requestURI: z.string(),
  requestReceivedTimestamp: z.string(),
  user: z.object({ username: z.string(), extra: z.record(z.string(), z.array(z.string())).default({}) }),
  objectRef: z.object({ resource: z.string() }).optional(),
});

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const podKey = "authentication.kubernetes.io/pod-name";

/** A write in the audit log: when it was received, in milliseconds since 1970, and `verb path`. */
export interface OperatorWrite {
  readonly at: number;
  readonly request: string;
}

/** What a pod of the operator (default: any) wrote since `since`, in milliseconds since 1970; Leases apart. */
export async function writesOf(auditLog: string, since: number, pod?: OperatorPod): Promise<OperatorWrite[]> {
  const lines = (await readFile(auditLog, "utf8")).split("\n");
  return lines
    .filter((line) => line.includes(`serviceaccount:${namespace}:database-operator`))
    .map((line) => Audited.parse(JSON.parse(line)))
    .filter(({ stage, verb }) => stage === "ResponseComplete" && writing.has(verb))
    .filter(({ user }) => pod === undefined || user.extra[podKey]?.[0] === pod.name)
    .filter(({ objectRef }) => objectRef?.resource !== "leases")
    .map(({ requestReceivedTimestamp, verb, requestURI }) => ({
      at: Date.parse(requestReceivedTimestamp),
      request: `${verb} ${requestURI}`,
    }))
    .filter(({ at }) => at >= since);
}
