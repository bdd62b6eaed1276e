// Where a scenario plays: its namespace, what it is about, and the Database whose backups are taken.
import { engines } from "../../availability/matrix";
import type { TestedEngine } from "../../availability/engines/engine";
import { serviceOf } from "../../availability/subject";
import type { Session } from "../../availability/engines/engine";
import type { Progress } from "../../../tools/progress";
import { builtVersion, type BuiltVersion } from "../../../test/harness/built-versions";
import { database } from "../../../test/harness/database";
import { minutes, type Patience } from "../../../test/harness/eventually";
import type { Kubectl } from "../../../test/harness/kubectl";
import { ObjectStorage } from "../../../test/harness/object-storage";
import { scenarios, type Scenario, type ScenarioName } from "../scenarios";
import type { Stage } from "./stage";

export interface Scene {
  readonly name: ScenarioName;
  readonly scenario: Scenario;
  readonly stage: Stage;
  readonly kubectl: Kubectl;
  readonly progress: Progress;
  readonly namespace: string;
  readonly engine: TestedEngine;
  readonly built: BuiltVersion;
  /** Undefined where backups go to a volume. */
  readonly storage: ObjectStorage | undefined;
  /** Of the rows. */
  readonly gib: number;
  close(): Promise<void>;
}

/** Of the Database whose backups are taken. */
export const source = "orders";

/** How old what is archived may be, in seconds. */
export const everySeconds = 10;

export interface SceneArgs {
  readonly stage: Stage;
  readonly progress: Progress;
  readonly gib: number;
}

export async function openScene(name: ScenarioName, { stage, progress, gib }: SceneArgs): Promise<Scene> {
  const scenario = scenarios[name];
  const { kubectl, witness } = stage.platform;
  await kubectl("create", "namespace", name);
  await kubectl("label", "namespace", name, "pod-security.kubernetes.io/enforce=restricted");
  witness.disregard(name, "each backup and each restore is reported by events", ["events"]);
  const storage = scenario.to === "volume" ? undefined : await ObjectStorage.start(kubectl, name);
  return {
    ...{ name, scenario, stage, kubectl, progress, namespace: name, storage, gib },
    ...{ engine: engines[scenario.engine], built: builtVersion(stage.platform, scenario.engine) },
    async close() {
      await kubectl("delete", "databases", "--all", "-n", name, "--timeout=300s");
      await storage?.stop();
    },
  };
}

/** One member with nothing of its own but what is told. */
export function databaseOf({ scenario, built, namespace, gib }: Scene, name: string, spec: object): unknown {
  const storage = `${3 * gib + 2}Gi`;
  const alone = { replicas: 1, deletionPolicy: "Delete", backup: { enabled: false } };
  return database(name, namespace, { engine: scenario.engine, version: built.version, storage, ...alone, ...spec });
}

/** The `backup` of the Database whose backups are taken: each is complete. */
export function backupSpecOf({ storage, gib }: Scene): Record<string, unknown> {
  const common = { retention: 2, verify: { enabled: false } };
  return storage === undefined
    ? { ...common, destination: { volume: { size: `${6 * gib + 2}Gi` } } }
    : { ...common, destination: storage.destination, fullEvery: 1, pointInTime: { everySeconds } };
}

/** Connects to the primary as an application, and ends the connection afterwards. */
export async function asking<T>(
  { kubectl, namespace, engine }: Scene,
  name: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await engine.connect(await serviceOf({ kubectl, namespace, name }), connectMs);
  try {
    return await work(session);
  } finally {
    session.destroy();
  }
}

const connectMs = 10_000;

/** For a backup or a restore, with a kill and what is tried again after it. No goal. */
export const patienceFor = (gib: number): Patience => minutes(6 + 4 * gib);

/** What a new Database begins with: this backup, and with object storage all changes that have arrived. */
export const newestOf = ({ storage }: Scene, backup: string): object =>
  storage === undefined ? { backup: { name: backup } } : { from: { name: source } };
