// What holds a Database back while it is being deleted, and what becomes of its data; readable with any spec.
import { z } from "zod";
import { keyPrefix } from "../../contract/resources";
import { DeletionPolicy } from "./spec";

/** On a Database from before its first child is created until its last is gone. */
export const finalizer = `${keyPrefix}/finalizer`;

const Policy = z.object({ spec: z.object({ deletionPolicy: DeletionPolicy }) });

/** The deletion policy as written; Retain, the safe one, where it cannot be read. */
export function deletionPolicyOf(object: unknown): DeletionPolicy {
  const parsed = Policy.safeParse(object);
  return parsed.success ? parsed.data.spec.deletionPolicy : "Retain";
}

/** Whether nothing may be changed. */
export const isPaused = (object: unknown): boolean =>
  z.object({ spec: z.object({ paused: z.literal(true) }) }).safeParse(object).success;
