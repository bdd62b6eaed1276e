// Checkpoints between runs: compressed, with the marks by which children are compared beside them.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzipSync, gzip } from "node:zlib";
import { z } from "zod";
import type { KeptCheckpoint } from "../domain/records";
import type { ChildMarks } from "../domain/children";
import { parseJson } from "../objects/json";
import { marksIn } from "./checkpoint";
import type { Checkpoint } from "../domain/runner";

const compress = promisify(gzip);

/** Counts up when marks are computed in another way: older ones are computed again. */
const format = 1;

const StoredMarks = z.object({
  format: z.literal(format),
  of: z.string(),
  marks: z.array(z.tuple([z.string(), z.string(), z.string()])),
});

/** Compresses the checkpoint that a run of `stack` left. */
export async function keep(text: Checkpoint, stack: string): Promise<KeptCheckpoint> {
  return kept(await compress(text), marksIn(text, stack));
}

/** A compressed checkpoint of `stack`; `storedMarks`, where they are of just this checkpoint, save reading it. */
export function restore(packed: Buffer, storedMarks: string | undefined, stack: string): KeptCheckpoint {
  const stored = StoredMarks.safeParse(parseJson(storedMarks ?? "")).data;
  if (stored?.of !== digestOf(packed, stack)) return kept(packed, marksIn(expand(packed), stack));
  return kept(packed, new Map(stored.marks.map(([child, uid, applied]) => [child, { uid, applied }])));
}

/** The marks as text, to be stored beside the checkpoint. */
export function marksText({ packed, marks }: KeptCheckpoint, stack: string): string | undefined {
  if (marks === undefined) return undefined;
  const listed = [...marks].map(([child, { uid, applied }]) => [child, uid, applied]);
  return JSON.stringify({ format, of: digestOf(packed, stack), marks: listed });
}

const kept = (packed: Buffer, marks: ChildMarks | undefined): KeptCheckpoint => ({
  packed,
  marks,
  text: () => expand(packed),
});

function expand(packed: Buffer): Checkpoint {
  try {
    return gunzipSync(packed).toString("utf8");
  } catch {
    return "";
  }
}

/** Of the stack, too: marks that came along with another stack's checkpoint do not count. */
function digestOf(packed: Buffer, stack: string): string {
  return createHash("sha256").update(stack).update("\0").update(packed).digest("base64");
}
