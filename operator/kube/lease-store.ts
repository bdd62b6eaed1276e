// The lease of the election as an object of coordination.k8s.io in the operator's namespace.
import { z } from "zod";
import type { LeaseStore, ReadLease } from "../leadership/election";
import { isApiError, type KubeClient } from "./client";
import { leaseName } from "../../contract/platform";
import { collection, item, resources } from "./paths";
const Time = z.string().transform((text) => new Date(text));
const LeaseObject = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  spec: z
    .object({
      holderIdentity: z.string().default(""),
      leaseDurationSeconds: z.number().default(0),
      acquireTime: Time.default(() => new Date(0)),
      renewTime: Time.default(() => new Date(0)),
      leaseTransitions: z.number().default(0),
    })
    .prefault({}),
});

/** The API's MicroTime. */
const microTime = (time: Date): string => time.toISOString().replace("Z", "000Z");

export function createLeaseStore({
  client,
  namespace,
}: {
  readonly client: KubeClient;
  readonly namespace: string;
}): LeaseStore {
  const path = item(resources.leases, namespace, leaseName);
  return {
    async read() {
      const found = await client.find(path);
      return found === undefined ? undefined : leaseOf(found);
    },
    async write({ holder, durationSeconds, acquiredAt, renewedAt, transitions }, replaces) {
      const body = {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: leaseName, namespace, ...(replaces !== undefined && { resourceVersion: replaces }) },
        spec: {
          holderIdentity: holder,
          leaseDurationSeconds: durationSeconds,
          acquireTime: microTime(acquiredAt),
          renewTime: microTime(renewedAt),
          leaseTransitions: transitions,
        },
      };
      try {
        const written =
          replaces === undefined
            ? await client.create(collection(resources.leases, namespace), body)
            : await client.replace(path, body);
        return leaseOf(written);
      } catch (error) {
        // of a lease that was deleted meanwhile, too: the next attempt creates it again
        if (isApiError(error, 409) || (replaces !== undefined && isApiError(error, 404))) return undefined;
        throw error;
      }
    },
  };
}

function leaseOf(object: unknown): ReadLease {
  const { metadata, spec } = LeaseObject.parse(object);
  return {
    holder: spec.holderIdentity,
    durationSeconds: spec.leaseDurationSeconds,
    acquiredAt: spec.acquireTime,
    renewedAt: spec.renewTime,
    transitions: spec.leaseTransitions,
    version: metadata.resourceVersion,
  };
}
