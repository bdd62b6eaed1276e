// Writes to Database objects: finalizer, status, events.
import { API_VERSION } from "../api/crd";
import { finalizer } from "../api/lifecycle";
import type { DatabaseMetadata } from "../api/object";
import type { DatabaseStatus } from "../api/status";
import { placeOf } from "../domain/key";
import type { DatabaseEvent, Databases } from "../domain/ports";
import type { KubeClient } from "./client";
import { GuardedWrites, meansGone, pathOf, type Current } from "./guarded-writes";
import { databaseResource } from "../../contract/resources";
import { collection, resources } from "./paths";

/** Longest message of an event that the API server takes. */
const longestEventMessage = 1024;

export interface DatabaseWrites {
  /** Who events say they come from. */
  readonly reporter: string;
  readonly now: () => Date;
  readonly onLostEvent: (cause: unknown) => void;
}

/** The operator's writes, and a way to wait for those whose caller does not wait. */
export interface OwnWrites extends Databases {
  /** Resolves when no event is in progress any more. */
  settled(): Promise<void>;
}

export function createDatabases(client: KubeClient, options: DatabaseWrites): OwnWrites {
  const writes = new GuardedWrites(client);
  const underway = new Set<Promise<unknown>>();
  const writeFinalizers = (
    metadata: DatabaseMetadata,
    change: (before: readonly string[]) => readonly string[],
  ): Promise<unknown> =>
    writes.write(metadata, (current) => {
      const { uid, resourceVersion } = current;
      const finalizers = change(current.finalizers);
      return client.mergePatch(pathOf(metadata), { metadata: { finalizers, uid, resourceVersion } });
    });
  const record = async (metadata: DatabaseMetadata, event: DatabaseEvent): Promise<void> => {
    await client.create(collection(resources.events, metadata.namespace), eventObject(metadata, event, options));
  };
  return {
    async addFinalizer(metadata) {
      if (metadata.finalizers.includes(finalizer)) return;
      const written = await writeFinalizers(metadata, (before) => [...new Set([...before, finalizer])]);
      if (written === undefined) throw new Error("the Database was deleted meanwhile");
    },
    async removeFinalizer(metadata) {
      await writeFinalizers(metadata, (before) => before.filter((name) => name !== finalizer));
      writes.forget(metadata);
    },
    writeStatus(metadata, write) {
      return writes.writeStatus(metadata, write, (current, status) =>
        client.apply(`${pathOf(metadata)}/status`, statusObject(current, status)),
      );
    },
    recordEvent(metadata, event) {
      const recorded = record(metadata, event).catch((error: unknown) => {
        if (!meansGone(error)) options.onLostEvent(error);
      });
      underway.add(recorded);
      void recorded.finally(() => underway.delete(recorded));
    },
    forget(key) {
      writes.forget(placeOf(key));
    },
    async settled() {
      await Promise.all(underway);
    },
  };
}

function statusObject(metadata: Current, status: DatabaseStatus): unknown {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion: API_VERSION,
    kind: databaseResource.kind,
    metadata: { name, namespace, uid, resourceVersion },
    status,
  };
}

function eventObject(
  { name, namespace, uid }: DatabaseMetadata,
  { type, reason, message }: DatabaseEvent,
  { reporter, now }: Pick<DatabaseWrites, "reporter" | "now">,
): unknown {
  const timestamp = now()
    .toISOString()
    .replace(/\.\d+Z$/, "Z");
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion: API_VERSION, kind: databaseResource.kind, name, namespace, uid },
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
