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
  requestedBy: z.array(z.string()).default([]),
  waitsFor: z.array(z.string()).default([]),
  windowOpensAt: z.string().optional(),
  approveBefore: z.string().optional(),
  changes: z.array(Field).default([]),
  consequences: z.array(Consequence).default([]),
  approval: z.object({ state: z.string(), by: z.string().optional(), message: z.string().default("") }).optional(),
});

const Holder = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
});

/** What the operator says of it. */
export type SeenPending = z.infer<typeof Pending>;

/** Undefined where no change waits, or what is said of it cannot be read. */
export const pendingIn = (object: unknown): SeenPending | undefined => Pending.safeParse(statedIn(object)).data;

/** Whether a change waits of which is said what cannot be read here: it is not nothing. */
export const isPendingUnread = (object: unknown): boolean =>
  statedIn(object) !== undefined && pendingIn(object) === undefined;

const Stated = z.object({ status: z.object({ pendingChange: z.unknown().optional() }) });
const statedIn = (object: unknown): unknown => Stated.safeParse(object).data?.status.pendingChange ?? undefined;

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
