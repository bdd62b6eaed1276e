// What a member says of the certificate that its server shows, read from its pod.
import { z } from "zod";
import { certificateAnnotation } from "../../contract/certificate-note";
import type { Member } from "../domain/members";
import { parseJson } from "../objects/json";

const Note = z.object({ until: z.iso.datetime() });

/** Nothing where the member says nothing, or something that is none of ours. */
export function certificateOf(annotations: Readonly<Record<string, string>>): Pick<Member, "certificate"> {
  const { data } = Note.safeParse(parseJson(annotations[certificateAnnotation] ?? ""));
  return data === undefined ? {} : { certificate: data };
}
