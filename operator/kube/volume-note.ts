// What a member says of its data volume, read from its pod.
import { z } from "zod";
import { volumeAnnotation, volumeCauses, volumeLevels } from "../../contract/volume-note";
import type { Member } from "../domain/members";
import { parseJson } from "../objects/json";

const Cause = z.object({
  kind: z.enum(volumeCauses),
  bytes: z.number(),
  name: z.string().max(64).exactOptional(),
  walStatus: z.string().max(64).exactOptional(),
  active: z.boolean().exactOptional(),
});

const Note = z.object({
  level: z.literal(volumeLevels),
  size: z.number().positive(),
  used: z.number().min(0),
  at: z.string().max(64),
  cause: z.unknown().optional(),
});

/** Nothing where the member says nothing, or something that is none of ours. */
export function volumeOf(annotations: Readonly<Record<string, string>>): Pick<Member, "volume"> {
  const { data } = Note.safeParse(parseJson(annotations[volumeAnnotation] ?? ""));
  if (data === undefined) return {};
  const { level, size, used, at } = data;
  // from one that only a newer agent knows nothing follows
  const cause = Cause.safeParse(data.cause).data;
  return { volume: { level, size, used, at, ...(cause !== undefined && { cause }) } };
}
