// The children of the Database `shop` of a namespace, as somebody who is about to change them finds them.
import { z } from "zod";
import { childKinds } from "../../operator/kube/children";
import type { Kubectl } from "../harness/kubectl";

export interface Child {
  readonly kind: string;
  readonly name: string;
  readonly object: unknown;
}

const Listed = z.object({ items: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) })) });
const Identified = z.object({ metadata: z.object({ uid: z.string() }) });

export const uidOf = (object: unknown): string => Identified.parse(object).metadata.uid;

export const isVolume = ({ kind }: Child): boolean => kind === "PersistentVolumeClaim";

/** The children that a run declares, with managed fields: those that a CronJob or a StatefulSet makes are not among them. */
export async function declaredChildren(kubectl: Kubectl, namespace: string): Promise<Child[]> {
  const found: Child[] = [];
  const form = ["-l", "database=shop", "-o", "json", "--show-managed-fields"];
  for (const { kind, names } of childKinds.filter((child) => child.kind !== "ServiceMonitor")) {
    const declared = new Set(names("shop"));
    const text = await kubectl("get", kind, "-n", namespace, ...form);
    for (const object of Listed.parse(JSON.parse(text)).items) {
      if (declared.has(object.metadata.name)) found.push({ kind, name: object.metadata.name, object });
    }
  }
  return found;
}

/** The messages of the namespace's events with a reason, in one text. */
export function eventMessages(kubectl: Kubectl, namespace: string, reason: string): Promise<string> {
  const form = ["--field-selector", `reason=${reason}`, "-o", "jsonpath={.items[*].message}"];
  return kubectl("get", "events", "-n", namespace, ...form);
}
