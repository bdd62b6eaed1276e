// What is said between the benchmark and a baseline's process.
import { z } from "zod";
import { workMems } from "../spec";

const Place = { namespace: z.string(), name: z.string(), workMem: z.number().default(workMems.created) };

export const Command = z.discriminatedUnion("do", [
  z.object({ do: z.literal("create"), ...Place }),
  z.object({ do: z.literal("update"), ...Place }),
  z.object({ do: z.literal("preview"), ...Place }),
  z.object({ do: z.literal("delete"), ...Place }),
  /** Answers with the children of a Database of that name, as `Kind name`. */
  z.object({ do: z.literal("children"), ...Place }),
]);
export type Command = z.infer<typeof Command>;
export type CommandInput = z.input<typeof Command>;

export const Question = z.object({ id: z.number(), command: Command });

export const Answer = z.object({
  id: z.number(),
  error: z.string().optional(),
  /** How long it took there. */
  seconds: z.number(),
  children: z.array(z.string()).default([]),
});
export type Answer = z.infer<typeof Answer>;
