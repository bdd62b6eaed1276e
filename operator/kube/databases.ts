// Writes to Database objects: finalizer, status, events.
import { API_VERSION, KIND } from "../api/crd";
import { finalizer } from "../api/lifecycle";
import { metadataOf, type DatabaseMetadata } from "../api/object";
import type { DatabaseStatus } from "../api/status";
import type { DatabaseEvent, Databases } from "../ports";
import { isApiError, type KubeClient } from "./client";
import { collection, item, resources } from "./paths";

/** Longest message of an event that the API server takes. */
const longestEventMessage = 1024;

export interface DatabaseWrites {
  /** Who events say they come from. */
  readonly reporter: string;
  readonly now: () => Date;
  readonly onLostEvent: (cause: unknown) => void;
}

export function createDatabases(client: KubeClient, { reporter, now, onLostEvent }: DatabaseWrites): Databases {
  const pathOf = ({ namespace, name }: DatabaseMetadata): string => item(resources.databases, namespace, name);
  // the resourceVersion makes the write fail rather than undo somebody else's finalizer
  const writeFinalizers = (metadata: DatabaseMetadata, finalizers: readonly string[]): Promise<unknown> =>
    client.mergePatch(pathOf(metadata), {
      metadata: { finalizers, uid: metadata.uid, resourceVersion: metadata.resourceVersion },
    });
  const current = async (metadata: DatabaseMetadata): Promise<DatabaseMetadata | undefined> => {
    const object = await client.find(pathOf(metadata));
    return object === undefined ? undefined : metadataOf(object);
  };
  return {
    async addFinalizer(metadata) {
      if (metadata.finalizers.includes(finalizer)) return;
      const fresh = await current(metadata);
      if (fresh === undefined || fresh.uid !== metadata.uid) throw new Error("the Database was deleted in between");
      if (!fresh.finalizers.includes(finalizer)) await writeFinalizers(fresh, [...fresh.finalizers, finalizer]);
    },
    async removeFinalizer(metadata) {
      const fresh = await current(metadata);
      if (fresh === undefined || fresh.uid !== metadata.uid) return;
      const others = fresh.finalizers.filter((name) => name !== finalizer);
      if (others.length < fresh.finalizers.length) await writeFinalizers(fresh, others);
    },
    async writeStatus(metadata, status) {
      // an apply of a status takes any uid: a successor of the same name would get the status of a Database that is gone
      if ((await current(metadata))?.uid !== metadata.uid) return undefined;
      const request = client.apply(`${pathOf(metadata)}/status`, statusObject(metadata, status));
      const written = await ignoreGone(request, async () => (await current(metadata))?.uid !== metadata.uid);
      return written === undefined ? undefined : metadataOf(written).resourceVersion;
    },
    async recordEvent(metadata, event) {
      const path = collection(resources.events, metadata.namespace);
      // an event is a courtesy: a lost one must not make a reconcile fail
      await ignoreGone(client.create(path, eventObject(metadata, event))).catch(onLostEvent);
    },
  };

  function statusObject({ name, namespace, uid }: DatabaseMetadata, status: DatabaseStatus): unknown {
    // the uid keeps an apply from making an object that was deleted in between
    return { apiVersion: API_VERSION, kind: KIND, metadata: { name, namespace, uid }, status };
  }

  function eventObject({ name, namespace, uid }: DatabaseMetadata, { type, reason, message }: DatabaseEvent): unknown {
    const timestamp = now()
      .toISOString()
      .replace(/\.\d+Z$/, "Z");
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: { apiVersion: API_VERSION, kind: KIND, name, namespace, uid },
      type,
      reason,
      message: message.slice(0, longestEventMessage),
      source: { component: reporter },
      reportingComponent: reporter,
      firstTimestamp: timestamp,
      lastTimestamp: timestamp,
      count: 1,
    };
  }
}

/** Swallows the answers that mean that the object, or its namespace, is on its way out; a conflict may mean less: `isGone` tells. */
async function ignoreGone(
  request: Promise<unknown>,
  isGone = (): Promise<boolean> => Promise.resolve(true),
): Promise<unknown> {
  try {
    return await request;
  } catch (error) {
    const ending = isApiError(error, 403) && error instanceof Error && error.message.includes("being terminated");
    if (!ending && !isApiError(error, 404) && !(isApiError(error, 409) && (await isGone()))) throw error;
    return undefined;
  }
}
