// The children of the Database `shop` of a namespace, as a client that is about to change them finds them.
import { z } from "zod";
import { childKinds } from "../../operator/kube/children";
import type { Kubectl } from "../harness/kubectl";

export interface Child {
  readonly kind: string;
  readonly name: string;
  readonly object: unknown;
}

const Identified = z.object({ metadata: z.object({ uid: z.string() }) });

export const uidOf = (object: unknown): string => Identified.parse(object).metadata.uid;

export const isVolume = ({ kind }: Child): boolean => kind === "PersistentVolumeClaim";

/** The children that a run declares, with managed fields: those that a CronJob or a StatefulSet creates are not among them. */
export async function declaredChildren(kubectl: Kubectl, namespace: string): Promise<Child[]> {
  const selection = { namespace, selector: "database=shop", managedFields: true };
  const lists = childKinds
    .filter((child) => child.kind !== "ServiceMonitor")
    .map(async ({ kind, names }) => {
      const declared = new Set(names("shop"));
      const found = await kubectl.list(kind, selection);
      return found
        .filter(({ metadata }) => declared.has(metadata.name))
        .map((object) => ({ kind, name: object.metadata.name, object }));
    });
  return (await Promise.all(lists)).flat();
}

const Told = z.object({ message: z.string().default("") });

/** The messages of the namespace's events with a reason, in one text. */
export async function eventMessages(kubectl: Kubectl, namespace: string, reason: string): Promise<string> {
  const events = await kubectl.list("events", { namespace, fields: `reason=${reason}` });
  return events.map((event) => Told.parse(event).message).join(" ");
}
