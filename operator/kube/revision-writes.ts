// Writes of DatabaseRevisions.
import { z } from "zod";
import { databaseResource, revisionResource } from "../../contract/resources";
import { API_VERSION } from "../api/crd";
import { revisionApiVersion, revisionStatusIn } from "../api/revisions/object";
import type { NewRevision, RevisionWrites } from "../history/ports";
import { isApiError, type KubeClient } from "./client";
import { GuardedWrites, meansGone } from "./guarded-writes";
import { collection, item, resources } from "./paths";

const WithStatus = z.object({ status: z.unknown() });

/** What it needs of the client. */
export type RevisionClient = Pick<KubeClient, "create" | "apply" | "find" | "delete">;

/** `onRefused`: none may be made, as rights or a quota say. */
export function createRevisionWrites(
  client: RevisionClient,
  onRefused: (cause: unknown) => void = () => undefined,
): RevisionWrites {
  const guarded = new GuardedWrites(client, resources.databaseRevisions);
  return {
    create: (revision) => create(client, revision, onRefused),
    async remove({ metadata }) {
      const { namespace, name, uid } = metadata;
      await client.delete(item(resources.databaseRevisions, namespace, name), { uid });
    },
    async writeStatus({ metadata, status: before }, statusAfter) {
      let status = statusAfter(before);
      const copy = { ...metadata, finalizers: [] };
      const written = await guarded.write(copy, (current, found) => {
        if (found !== undefined) status = statusAfter(revisionStatusIn(WithStatus.safeParse(found).data?.status));
        const { namespace, name, uid, resourceVersion } = current;
        return client.apply(`${item(resources.databaseRevisions, namespace, name)}/status`, {
          ...{ apiVersion: revisionApiVersion, kind: revisionResource.kind },
          metadata: { name, namespace, uid, resourceVersion },
          status,
        });
      });
      // the caller knows the version, and of what goes with its Database no one says so
      guarded.forget(metadata);
      return written && { version: written.resourceVersion, status };
    },
  };
}

/** One that has its name already is the same: it says number and UID. The Database is no owner that waits for it. */
async function create(
  client: RevisionClient,
  { namespace, name, owner, spec }: NewRevision,
  onRefused: (cause: unknown) => void,
): Promise<boolean> {
  const ownerReferences = [{ apiVersion: API_VERSION, kind: databaseResource.kind, name: owner.name, uid: owner.uid }];
  const body = {
    ...{ apiVersion: revisionApiVersion, kind: revisionResource.kind },
    ...{ metadata: { namespace, name, ownerReferences }, spec },
  };
  try {
    await client.create(collection(resources.databaseRevisions, namespace), body);
    return true;
  } catch (error) {
    if (isApiError(error, 409)) return true;
    // a kind that is being removed takes none
    if (meansGone(error) || isApiError(error, 405)) return false;
    if (!isApiError(error, 403)) throw error;
    // the operator's rights may be older than the kind
    onRefused(error);
    return false;
  }
}
