// The operator's answer, as the plugin reads it: what a newer operator adds is left out.
import { z } from "zod";
import type { PreviewReport } from "../../operator/preview/report";
import { AnEffect } from "../objects/effect";

const Field = z.object({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() });

const Consequence = z.object({
  effect: AnEffect,
  members: z.array(z.string()).default([]),
  aboutSeconds: z.number().optional(),
  waitsFor: z.string().optional(),
  message: z.string(),
});

const Report = z.object({
  outcome: z.enum(["Planned", "Unchanged", "Refused", "Stalled", "Failed", "Skipped"]),
  operation: z.enum(["Create", "Update", "Delete"]).optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  spec: z.array(Field).optional(),
  notes: z.array(z.string()).optional(),
  drift: z.array(z.string()).optional(),
  waits: z.string().optional(),
  release: z.object({ waits: z.string(), effect: AnEffect, consequences: z.array(Consequence) }).optional(),
  paused: z.boolean().optional(),
  summary: z.string().optional(),
  objects: z
    .array(
      z.object({
        ...{ kind: z.string(), name: z.string(), operation: z.enum(["Create", "Update", "Replace", "Delete"]) },
        ...{ retained: z.boolean().optional(), adopted: z.boolean().optional(), fields: z.array(Field).default([]) },
      }),
    )
    .optional(),
  effect: AnEffect.optional(),
  consequences: z.array(Consequence).optional(),
  members: z.array(z.object({ name: z.string(), effect: AnEffect })).optional(),
  digest: z.string().optional(),
});

const Answer = z.object({ status: Report });

/** Throws for what is no answer of an operator that the plugin understands. */
export function reportIn(answer: unknown): PreviewReport {
  const { data } = Answer.safeParse(answer);
  if (data === undefined) throw new Error("the operator's answer is not understood: use the plugin of its version");
  return data.status;
}
