// Every state of every member's pod, as it was seen, in the order in which it came.
import { z } from "zod";
import { labelKeys, memberSelector } from "../../components/naming";
import { Watching } from "../judges/invariants/recorder";

/** One state of a member's pod. */
export interface Sighting {
  /** When it was seen, in milliseconds since 1970. */
  readonly at: number;
  /** `namespace/name` of its Database. */
  readonly database: string;
  readonly name: string;
  readonly uid: string;
  /** By its label. */
  readonly role: string;
  /** A node has it. */
  readonly isScheduled: boolean;
  readonly isReady: boolean;
  /** It is being deleted. */
  readonly isEnding: boolean;
  readonly isGone: boolean;
}

const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.object({ nodeName: z.string().default("") }).prefault({}),
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
    .prefault({}),
});

/** The members of any Database. */
const selector = encodeURIComponent(
  Object.entries(memberSelector(""))
    .filter(([key]) => key !== labelKeys.database)
    .map(([key, value]) => `${key}=${value}`)
    .join(","),
);

/** Records the members of all Databases while tests run. */
export class PodHistory {
  readonly #sightings: Sighting[] = [];
  readonly #listeners = new Set<(sighting: Sighting) => void>();
  readonly #end = new AbortController();

  /** Begins. `environment` carries cluster-admin's KUBECONFIG. */
  constructor({ KUBECONFIG: kubeconfig = "" }: Readonly<Record<string, string>>) {
    const accept = (type: string, object: unknown): void => {
      const sighting = sightingOf(object, type === "DELETED");
      this.#sightings.push(sighting);
      for (const listen of this.#listeners) listen(sighting);
    };
    const path = `/api/v1/pods?watch=true&labelSelector=${selector}`;
    void new Watching({ kubeconfig, path, accept, signal: this.#end.signal }).run();
  }

  /** Those of one Database, `namespace/name`, in the order in which they came. */
  of(database: string): readonly Sighting[] {
    return this.#sightings.filter((sighting) => sighting.database === database);
  }

  /** Reports each one from now on. */
  listen(listener: (sighting: Sighting) => void): void {
    this.#listeners.add(listener);
  }

  stop(): void {
    this.#end.abort();
  }
}

function sightingOf(object: unknown, isGone: boolean): Sighting {
  const { metadata, spec, status } = Pod.parse(object);
  return {
    at: Date.now(),
    database: `${metadata.namespace}/${metadata.labels[labelKeys.database] ?? ""}`,
    name: metadata.name,
    uid: metadata.uid,
    role: metadata.labels[labelKeys.role] ?? "",
    isScheduled: spec.nodeName !== "",
    isReady: status.conditions.some(({ type, status: is }) => type === "Ready" && is === "True"),
    isEnding: metadata.deletionTimestamp !== undefined,
    isGone,
  };
}
