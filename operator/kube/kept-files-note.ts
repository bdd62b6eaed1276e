// What a member says of files of other major versions beside its own, read from its pod.
import { z } from "zod";
import { keptFilesAnnotation } from "../../contract/kept-files";
import type { Member } from "../domain/members";
import { parseJson } from "../objects/json";

const major = z.string().max(16);
const Note = z.object({ major, kept: z.array(major).max(20) });

/** Nothing where the member says nothing, or something that is none of ours. */
export function keptFilesOf(annotations: Readonly<Record<string, string>>): Pick<Member, "keptFiles"> {
  const { data } = Note.safeParse(parseJson(annotations[keptFilesAnnotation] ?? ""));
  return data === undefined ? {} : { keptFiles: data };
}
