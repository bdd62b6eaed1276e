// The objects, events and logs of a cluster at one moment, as text for people; values of Secrets are left out.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { childKinds } from "../../components/naming";
import { revisionResource } from "../../contract/resources";
import type { Listed, Selection } from "./reader";

/** What is asked of the cluster. */
export interface DumpSource {
  list(kinds: string, selection?: Selection): Promise<Listed[]>;
  /** What the containers of a pod printed last. */
  logs(namespace: string, pod: string): Promise<string>;
}

const kinds = [
  ...["databases.example.com", `${revisionResource.plural}.${revisionResource.group}`, "pods"],
  // not every cluster knows ServiceMonitors
  ...Object.values(childKinds).flatMap(({ plural }) => (plural === childKinds.ServiceMonitor.plural ? [] : [plural])),
];

/** Of Kubernetes itself: nothing that a test is about lies there. */
const isOwn = (namespace: string): boolean => !/^(kube-.*|)$/.test(namespace);

const Event = z.object({
  metadata: z.object({ namespace: z.string().default(""), creationTimestamp: z.string().default("") }),
  lastTimestamp: z.string().nullish(),
  type: z.string().nullish(),
  involvedObject: z.object({ kind: z.string().default(""), name: z.string().default("") }),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  count: z.number().nullish(),
});

/**
 * Writes into `directory`: `objects/<namespace>.yaml`, `events.txt` in the order of time, each with its type, and `logs/<namespace>.<pod>.log`. A part that
 * cannot be had says why in its file.
 */
export async function dump(source: DumpSource, directory: string): Promise<void> {
  await mkdir(join(directory, "objects"), { recursive: true });
  await mkdir(join(directory, "logs"), { recursive: true });
  const lists = await Promise.all(kinds.map((kind) => source.list(kind).catch(problemOf(`list of ${kind}`))));
  const objects = lists.flat();
  const namespaces = new Set(objects.map(namespaceOf).filter(isOwn));
  for (const namespace of namespaces) {
    const own = objects.filter((object) => namespaceOf(object) === namespace).map(withoutValues);
    const text = own.map((object) => stringify(object)).join("---\n");
    await writeFile(join(directory, "objects", `${namespace}.yaml`), text);
  }
  const problems = objects.filter(({ kind }) => kind === "Problem").map(({ metadata }) => metadata.name);
  if (problems.length > 0) await writeFile(join(directory, "problems.txt"), `${problems.join("\n")}\n`);
  await writeFile(join(directory, "events.txt"), await eventsOf(source));
  const pods = objects.filter((object) => object.kind === "Pod" && isOwn(namespaceOf(object)));
  await Promise.all(pods.map((pod) => writeLogs(source, directory, [namespaceOf(pod), pod.metadata.name])));
}

/** Stands for a list that could not be had. */
const problemOf =
  (what: string) =>
  (error: unknown): Listed[] => [
    { apiVersion: "v1", kind: "Problem", metadata: { name: `${what}: ${messageOf(error)}` } },
  ];

const namespaceOf = ({ metadata }: Listed): string => z.string().catch("").parse(metadata["namespace"]);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const applied = "kubectl.kubernetes.io/last-applied-configuration";
const Values = z.record(z.string(), z.unknown()).catch({});

/** A Secret with the names of what it holds, and nothing else; any other object as it is. */
export function withoutValues(object: Listed): Listed {
  if (object.kind !== "Secret") return object;
  const annotations = Object.entries(Values.parse(object.metadata["annotations"]));
  const kept = Object.fromEntries(annotations.filter(([name]) => name !== applied));
  const names = Object.keys({ ...Values.parse(object["data"]), ...Values.parse(object["stringData"]) });
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata: { ...metadata, annotations: kept }, holds: names.sort() };
}

async function eventsOf(source: DumpSource): Promise<string> {
  const found = await source.list("events").catch(problemOf("list of events"));
  const lines = found.map((object) => {
    const event = Event.safeParse(object).data;
    if (event === undefined) return object.metadata.name;
    const { metadata, involvedObject: about, type, reason, message, count, lastTimestamp } = event;
    const at = lastTimestamp ?? metadata.creationTimestamp;
    const times = (count ?? 1) > 1 ? ` (${count} times)` : "";
    return `${at} ${type ?? ""} ${metadata.namespace} ${about.kind}/${about.name} ${reason ?? ""}: ${message ?? ""}${times}`;
  });
  return `${lines.sort().join("\n")}\n`;
}

async function writeLogs(
  source: DumpSource,
  directory: string,
  [namespace, pod]: readonly [string, string],
): Promise<void> {
  const text = await source.logs(namespace, pod).catch(messageOf);
  await writeFile(join(directory, "logs", `${namespace}.${pod}.log`), text);
}
