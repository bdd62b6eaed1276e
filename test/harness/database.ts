// Databases in tests: creating them, and reading the part of them that tests are about.
import { z } from "zod";
import { firstBackupJobName } from "../../components/naming";
import { minutes, type Patience } from "./eventually";
import { makeNamespace, type Kubectl } from "./kubectl";
import { untilObject } from "./until";

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string(),
  observedGeneration: z.number().optional(),
});

/** A Database as it stands. */
export const DatabaseView = z.object({
  metadata: z.object({
    generation: z.number(),
    resourceVersion: z.string(),
    uid: z.string(),
    finalizers: z.array(z.string()).default([]),
  }),
  spec: z.looseObject({ replicas: z.number() }),
  status: z
    .object({
      ready: z.boolean().default(false),
      phase: z.string().default(""),
      observedGeneration: z.number().default(0),
      replicas: z.number().default(0),
      readyReplicas: z.number().default(0),
      primary: z.string().default(""),
      conditions: z.array(Condition).default([]),
      lastChange: z.object({ revision: z.number(), summary: z.string(), name: z.string().optional() }).optional(),
      lastBackup: z
        .object({
          name: z.string(),
          label: z.string().optional(),
          job: z.string().optional(),
          completedAt: z.string(),
        })
        .optional(),
    })
    .prefault({}),
});
export type DatabaseView = z.infer<typeof DatabaseView>;

/** A Database to apply. */
export function database(name: string, namespace: string, spec: Record<string, unknown> = {}): unknown {
  return {
    apiVersion: "example.com/v1",
    kind: "Database",
    metadata: { name, namespace },
    spec: { engine: "postgresql", version: "17.6", ...spec },
  };
}

/** Reads a Database. Throws where there is none. */
export async function readDatabase(kubectl: Kubectl, name: string, namespace: string): Promise<DatabaseView> {
  return DatabaseView.parse(await kubectl.find("database", name, namespace));
}

/** What a condition must say. */
export interface WantedCondition {
  readonly type: string;
  readonly status: string;
  /** Default: any. */
  readonly reason?: string;
}

/** The message of a condition; empty where there is none. */
export const messageOf = ({ status }: DatabaseView, type: string): string =>
  status.conditions.find((condition) => condition.type === type)?.message ?? "";

/** Throws where a condition of the present generation does not say so. */
export function assertCondition(
  what: string,
  { metadata, status }: Pick<DatabaseView, "metadata" | "status">,
  wanted: WantedCondition,
): void {
  const found = status.conditions.find(({ type }) => type === wanted.type);
  const met = found?.status === wanted.status && (wanted.reason === undefined || found.reason === wanted.reason);
  if (met && found.observedGeneration === metadata.generation) return;
  throw new Error(`${what} is not ${JSON.stringify(wanted)} but ${JSON.stringify(status.conditions)}`);
}

/** Waits until a version of the Database, the present one or a later one, is as `check` wants it, which throws else. */
export function untilDatabase<T>(
  kubectl: Kubectl,
  [namespace, name]: readonly [namespace: string, name: string],
  check: (view: DatabaseView) => T | Promise<T>,
  patience: Patience = {},
): Promise<T> {
  const place = { kind: "databases.example.com", name, namespace };
  return untilObject(kubectl, place, (object) => check(DatabaseView.parse(object)), patience);
}

/** Waits until a condition of the present generation says `status` (and `reason`), and returns the Database. */
export function untilCondition(
  kubectl: Kubectl,
  place: readonly [namespace: string, name: string],
  wanted: WantedCondition,
  patience: Patience = {},
): Promise<DatabaseView> {
  return untilDatabase(
    kubectl,
    place,
    (view) => {
      assertCondition(place.join("/"), view, wanted);
      return view;
    },
    patience,
  );
}

/** Waits until the present generation is Ready and nothing is in progress. */
export async function untilReady(
  kubectl: Kubectl,
  place: readonly [namespace: string, name: string],
  patience: Patience = {},
): Promise<DatabaseView> {
  const reconciled = { type: "Reconciling", status: "False", reason: "Reconciled" };
  await untilCondition(kubectl, place, reconciled, patience);
  return untilDatabase(
    kubectl,
    place,
    (view) => {
      assertCondition(place.join("/"), view, reconciled);
      assertCondition(place.join("/"), view, { type: "Ready", status: "True" });
      return view;
    },
    patience,
  );
}

const Job = z.object({ status: z.object({ completionTime: z.string().default("") }).prefault({}) });

/** Throws while a replica has not taken its role: a member is ready a moment before, and all is at rest only afterwards. */
export function assertRolesTaken(view: DatabaseView): void {
  const [status, reason] = view.spec.replicas > 1 ? ["True", "ReplicasStreaming"] : ["False", "NoReplicas"];
  assertCondition("it", view, { type: "ReplicationReady", status, reason });
}

/**
 * Waits until the first backup has succeeded, and the status says so. It begins with the Database, and runs once more when
 * anything of it changes: until then the status shows the one before.
 */
export async function untilBackedUp(
  kubectl: Kubectl,
  place: readonly [namespace: string, name: string],
  patience: Patience = {},
): Promise<DatabaseView> {
  const [namespace, name] = place;
  const job = { kind: "jobs.batch", name: firstBackupJobName(name), namespace };
  const completedAt = (object: unknown): string => {
    if (object === undefined) throw new Error(`${place.join("/")} has no first backup`);
    const { completionTime } = Job.parse(object).status;
    if (completionTime === "") throw new Error("its first backup has not ended yet");
    return completionTime;
  };
  await untilObject(kubectl, job, completedAt, patience);
  return untilDatabase(
    kubectl,
    place,
    async (view) => {
      // it may run once more meanwhile
      const completionTime = completedAt(await kubectl.find(job.kind, job.name, namespace));
      const { lastBackup } = view.status;
      if (lastBackup === undefined || lastBackup.completedAt < completionTime)
        throw new Error(`its first backup ended at "${completionTime}", the status has ${JSON.stringify(lastBackup)}`);
      assertCondition(place.join("/"), view, { type: "BackupReady", status: "True", reason: "BackupSucceeded" });
      return view;
    },
    patience,
  );
}

const LabelledPods = z.array(z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) }));

/** The pods with the label of a Database's primary: in moments of a failover there may be none, or two. */
export async function labelledPrimaries(
  kubectl: Kubectl,
  [namespace, name]: readonly [namespace: string, name: string],
): Promise<readonly { readonly name: string; readonly uid: string }[]> {
  const pods = await kubectl.list("pods", { namespace, selector: `database=${name},role=primary` });
  return LabelledPods.parse(pods).map(({ metadata }) => metadata);
}

/** Waits until there is no such Database. */
export async function untilGone(
  kubectl: Kubectl,
  [namespace, name]: readonly [string, string],
  patience: Patience = {},
): Promise<void> {
  const place = { kind: "databases.example.com", name, namespace };
  const isGone = (object: unknown): void => {
    if (object !== undefined) throw new Error(`${namespace}/${name} is still there: ${JSON.stringify(object)}`);
  };
  await untilObject(kubectl, place, isGone, patience);
}

/** Creates a namespace with a Database `shop` in it that is Ready and backed up, of two members by default; returns its name. */
export async function namespaceWithShop(
  kubectl: Kubectl,
  namespace: string,
  spec: Record<string, unknown> = {},
): Promise<string> {
  await makeNamespace(kubectl, namespace);
  await kubectl.apply(database("shop", namespace, { replicas: 2, ...spec }));
  await untilReady(kubectl, [namespace, "shop"], minutes(2));
  await untilBackedUp(kubectl, [namespace, "shop"], minutes(1));
  return namespace;
}
