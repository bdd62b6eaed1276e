// The change of a Database that waits, as verbs read it: what a newer operator adds is left out, and what it leaves out is missing.
import { z } from "zod";
import { approvalKeys } from "../../contract/approvals";
import { AnEffect } from "./effect";

const Field = z.object({ path: z.string(), before: z.string().optional(), after: z.string().optional() });
const Consequence = z.object({
  effect: AnEffect,
  members: z.array(z.string()).default([]),
  message: z.string().default(""),
});

const Pending = z.object({
  digest: z.string().min(1),
  effect: AnEffect.default("CannotBeTold"),
  since: z.string().optional(),
  requestedBy: z.string().optional(),
  waitsFor: z.array(z.string()).default([]),
  windowOpensAt: z.string().optional(),
  approveBefore: z.string().optional(),
  changes: z.array(Field).default([]),
  consequences: z.array(Consequence).default([]),
  approval: z.object({ state: z.string(), by: z.string().optional(), message: z.string().default("") }).optional(),
});

const Holder = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
  status: z.object({ pendingChange: z.unknown() }).optional(),
});

/** What the operator says of it. */
export type SeenPending = z.infer<typeof Pending>;

/** Undefined where no change waits. */
export const pendingIn = (object: unknown): SeenPending | undefined =>
  Pending.safeParse(Holder.safeParse(object).data?.status?.pendingChange).data;

/** The digests of the plans that the Database carries an approval of. */
export function approvedIn(object: unknown): readonly string[] {
  const annotations = Holder.safeParse(object).data?.metadata.annotations ?? {};
  return [annotations[approvalKeys.approve], annotations[approvalKeys.now]].flatMap((digest) => digest ?? []);
}

export const isApproved = ({ approval }: SeenPending): boolean => approval?.state === "Accepted";

export const waitsForApproval = ({ waitsFor }: SeenPending): boolean => waitsFor.includes("Approval");

/** As many letters of a digest as tell plans from each other. */
const shortDigest = 12;
export const shortened = (digest: string): string => digest.slice(0, shortDigest);
