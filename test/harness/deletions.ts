// Databases with one member that tests delete: creating them, what is said of them meanwhile, and what is left of them.
import assert from "node:assert/strict";
import { database, readDatabase, untilDatabase, untilGone, untilReady, type DatabaseView } from "./database";
import { eventually, minutes } from "./eventually";
import { makeNamespace, type Kubectl } from "./kubectl";

/** Namespace and name of a Database. */
export type Place = readonly [namespace: string, name: string];

export type Policy = "Retain" | "Snapshot" | "Delete";

const kinds =
  "statefulset,pod,service,job,cronjob,role,rolebinding,serviceaccount,networkpolicy,poddisruptionbudget,configmap,pvc,secret";

const dataOf = (name: string): string[] => [
  ...["config", "failover", "leader", "sync"].map((suffix) => `ConfigMap ${name}-${suffix}`),
  `PersistentVolumeClaim data-${name}-0`,
];
const backupsOf = (name: string): string[] => [
  `ConfigMap ${name}-backup`,
  `PersistentVolumeClaim ${name}-backup`,
  ...["ca", "credentials", "server-tls", "system"].map((suffix) => `Secret ${name}-${suffix}`),
];

/** What a deletion leaves, as sorted `Kind name`. */
const leftBy: Readonly<Record<Policy, (name: string) => string[]>> = {
  Retain: (name) => [...dataOf(name), ...backupsOf(name)],
  Snapshot: backupsOf,
  Delete: () => [],
};

/** See the header; all of it by one kubectl. */
export class Deletions {
  readonly #kubectl: Kubectl;

  constructor(kubectl: Kubectl) {
    this.#kubectl = kubectl;
  }

  async apply([namespace, name]: Place, spec: Record<string, unknown> = {}): Promise<void> {
    await this.#kubectl.apply(database(name, namespace, { replicas: 1, ...spec }));
  }

  /** `<namespace>/shop`, not applied yet, in a namespace of its own. */
  async place(namespace: string): Promise<Place> {
    return [await makeNamespace(this.#kubectl, namespace), "shop"];
  }

  /** A Database that is Ready, in a namespace of its own. */
  async ready(namespace: string, spec: Record<string, unknown> = {}): Promise<Place> {
    const place = await this.place(namespace);
    await this.apply(place, spec);
    await untilReady(this.#kubectl, place, minutes(2));
    return place;
  }

  async patch([namespace, name]: Place, spec: Record<string, unknown>): Promise<void> {
    await this.#kubectl("patch", "database", name, "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec }));
  }

  /** `kubectl delete` that does not wait. */
  async remove([namespace, name]: Place, ...options: string[]): Promise<void> {
    await this.#kubectl("delete", "database", name, "-n", namespace, "--wait=false", ...options);
  }

  /** The same for what has nothing to destroy: it goes without the operator's leave, with the request itself. */
  async removeAtOnce(place: Place): Promise<void> {
    const [namespace, name] = place;
    assert.deepEqual((await readDatabase(this.#kubectl, name, namespace)).metadata.finalizers, []);
    await this.remove(place);
    assert.equal(await this.#kubectl.find("database", name, namespace), undefined);
  }

  /** Gives an object of the Database's name these finalizers. */
  async hold(kind: string, [namespace, name]: Place, finalizers: readonly string[]): Promise<void> {
    const change = JSON.stringify({ metadata: { finalizers } });
    await this.#kubectl("patch", kind, name, "-n", namespace, "--type=merge", "-p", change);
  }

  /** Waits until a condition, as `reason: message`, matches. */
  async untilSaid(place: Place, type: string, expected: RegExp): Promise<void> {
    const isSaid = ({ status }: DatabaseView): void => {
      const { reason, message } = status.conditions.find((condition) => condition.type === type) ?? {};
      assert.match(`${reason ?? ""}: ${message ?? ""}`, expected);
    };
    await untilDatabase(this.#kubectl, place, isSaid, minutes(1));
  }

  /** Waits until the Database is gone, and exactly what its policy names is left, in the operator's namespace too. */
  async untilLeft(place: Place, policy: Policy): Promise<void> {
    await untilGone(this.#kubectl, place, minutes(2));
    await this.untilChildren(place, policy);
    const kept = ["certificates", "credentials"].map((record) => `${record}.${place.join(".")}`);
    assert.deepEqual(await this.operatorSecrets(place), policy === "Delete" ? [] : kept);
  }

  /** Waits until there is exactly what a policy leaves. */
  async untilChildren(place: Place, policy: Policy): Promise<void> {
    await eventually(async () => {
      assert.deepEqual(await this.children(place), leftBy[policy](place[1]).sort());
    }, minutes(1));
  }

  /** Everything with the Database's labels, as sorted `Kind name`. */
  async children([namespace, name]: Place): Promise<string[]> {
    const found = await this.#kubectl.list(kinds, { namespace, selector: `app=database,database=${name}` });
    return found.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
  }

  /** Throws where members, Services or data are missing. */
  async assertUntouched(place: Place): Promise<void> {
    const found = await this.children(place);
    const [, name] = place;
    for (const child of [`StatefulSet ${name}`, `Pod ${name}-0`, `Service ${name}`, ...leftBy.Retain(name)]) {
      assert.ok(found.includes(child), `${child} is gone`);
    }
  }

  /** Throws where data, backups or passwords are missing. */
  async assertDataKept(place: Place): Promise<void> {
    const found = await this.children(place);
    for (const child of leftBy.Retain(place[1])) assert.ok(found.includes(child), `${child} is gone`);
  }

  /** Names of the Secrets that the operator keeps of the Database. */
  async operatorSecrets([namespace, name]: Place): Promise<string[]> {
    const secrets = await this.#kubectl.names("secret", "database-operator-system");
    return secrets.filter((secret) => secret.endsWith(`.${namespace}.${name}`));
  }

  /** Whether an event says that the last backup was taken. */
  async wasBackedUp([namespace, name]: Place): Promise<boolean> {
    const events = await this.#kubectl.list("events", { namespace, fields: `involvedObject.name=${name}` });
    return JSON.stringify(events).includes(`Job ${name}-backup-final has taken the last backup`);
  }
}
