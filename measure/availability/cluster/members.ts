// The members of a Database as a watch of their pods shows them.
import { z } from "zod";
import { labelKeys, memberSelector } from "../../../components/naming";
import type { KubeClient } from "../../../operator/kube/client";
import { collection, resources, selectorText } from "../../../operator/kube/paths";
import { Reflector } from "../../../operator/kube/reflector";

/** A member's pod. */
const Member = z
  .object({
    metadata: z.object({
      name: z.string(),
      uid: z.string(),
      deletionTimestamp: z.string().optional(),
      labels: z.record(z.string(), z.string()).default({}),
    }),
    status: z.object({
      podIP: z.string().default(""),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    }),
  })
  .transform(({ metadata, status }) => ({
    name: metadata.name,
    uid: metadata.uid,
    /** Empty until the pod has one. */
    address: status.podIP,
    role: metadata.labels[labelKeys.role] ?? "",
    isReady: status.conditions.some(({ type, status: is }) => type === "Ready" && is === "True"),
    isEnding: metadata.deletionTimestamp !== undefined,
  }));
export type Member = z.infer<typeof Member>;

export interface Members {
  /** By name. */
  all(): readonly Member[];
  stop(): Promise<void>;
}

/** Watches the members; returns when the first look is in. */
export async function watchMembers(client: KubeClient, namespace: string, name: string): Promise<Members> {
  const reflector = new Reflector<Member>({
    client,
    path: collection(resources.pods, namespace),
    labelSelector: selectorText(memberSelector(name)),
    parse: (object) => Member.parse(object),
  });
  await reflector.start();
  return {
    all: () => [...reflector.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),
    stop: () => reflector.stop(),
  };
}
