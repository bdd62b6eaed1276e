// The stored state of a stack says what is in the cluster: the same objects, both ways, and nothing half done.
import { z } from "zod";
import { stackNameOf } from "../../../operator/domain/stack-names";
import { expectedChildren } from "./model";
import { keyOf, type DatabaseView, type Invariant, type ObjectView, type Snapshot } from "./snapshot";
import { nameOf, standingOf } from "./standing";

export const state: Invariant = {
  name: "state",
  promise: "the stored state of each stack holds exactly the objects of the cluster, and no operation is pending",
  judge: (snapshot) => snapshot.databases.flatMap((database) => judgeDatabase(database, snapshot)),
};

const Resource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().default(""),
  outputs: z.unknown().optional(),
});
const Checkpoint = z.object({
  version: z.number(),
  checkpoint: z.object({
    latest: z.object({
      resources: z.array(Resource).default([]),
      pending_operations: z.array(z.unknown()).nullish(),
    }),
  }),
});
const Live = z.object({ metadata: z.object({ uid: z.string(), namespace: z.string(), name: z.string() }) });

function judgeDatabase(database: DatabaseView, snapshot: Snapshot): string[] {
  const stack = stackNameOf(database.namespace, database.name);
  const stored = snapshot.states.find((candidate) => candidate.stack === stack);
  const isSettled = standingOf(database) === "settled";
  const say = (problem: string): string => `${keyOf(database)}: ${problem}`;
  if (stored?.checkpoint === undefined) return isSettled ? [say(`Secret state.${stack} has no checkpoint`)] : [];
  const parsed = Checkpoint.safeParse(parseJson(stored.checkpoint));
  // a record that was spoilt is rebuilt at the next change, and of no use until then
  if (!parsed.success) return isSettled ? [say("the stored state cannot be read")] : [];
  const { resources, pending_operations: pending } = parsed.data.checkpoint.latest;
  const strangers = resources.filter(({ urn }) => !urn.startsWith(`urn:pulumi:${stack}::databases::`));
  const found = strangers.map(({ urn }) => `the stored state holds ${urn}, which is of another stack`);
  if (!isSettled) return found.map(say);
  if (stored.uid !== database.uid) found.push("the stored state is that of a previous Database of this name");
  if (pending && pending.length > 0) found.push(`${pending.length} operations are pending in the stored state`);
  return [...found, ...compare(database, resources, snapshot)].map(say);
}

function compare(
  database: DatabaseView,
  resources: readonly z.infer<typeof Resource>[],
  { objects, serviceMonitors }: Snapshot,
): string[] {
  const here = objects.filter(({ namespace }) => namespace === database.namespace);
  const live = new Map(here.map((object) => [nameOf(object), object]));
  const declared = new Map(resources.filter(isObject).map((resource) => [declaredName(resource), resource]));
  const unknown = expectedChildren(database, serviceMonitors)
    .map(nameOf)
    .filter((name) => live.has(name) && !declared.has(name))
    .map((name) => `${name} is not in the stored state`);
  return [...[...declared].flatMap(([name, resource]) => differs(name, resource, live, database)), ...unknown];
}

const isObject = ({ type, id }: z.infer<typeof Resource>): boolean =>
  type.startsWith("kubernetes:") && !type.startsWith("kubernetes:core/v1:Namespace") && id !== "";

const declaredName = ({ type, id }: z.infer<typeof Resource>): string =>
  `${type.split(":").at(-1) ?? ""} ${id.split("/").at(-1) ?? ""}`;

function differs(
  name: string,
  { outputs }: z.infer<typeof Resource>,
  live: ReadonlyMap<string, ObjectView>,
  database: DatabaseView,
): string[] {
  const object = live.get(name);
  if (object === undefined) return [`${name} is in the stored state, but not in the cluster`];
  const parsed = Live.safeParse(outputs);
  if (!parsed.success) return [`${name} has no identity in the stored state`];
  const { uid, namespace } = parsed.data.metadata;
  if (namespace !== database.namespace) return [`${name} is of namespace ${namespace} in the stored state`];
  return uid === object.uid ? [] : [`${name} is another object than the one in the stored state`];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
