// /author: writes into a Database who changed its spec, and who approves a change. The API server's policy holds it to the truth, so that it does not
// matter who asks here. Nothing is read or remembered for it.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { approvalKeys } from "../../contract/approvals";
import { databaseResource, storedVersion } from "../../contract/resources";
import { parseJson } from "../objects/json";
import { AdmissionReview, malformed, patchAnswer, type AdmissionRequest, type Answer, type PatchStep } from "./review";

const Annotations = z.record(z.string(), z.string());
const Authored = z.object({
  metadata: z.object({
    uid: z.string().default(""),
    generation: z.int().default(0),
    annotations: Annotations.optional(),
  }),
  spec: z.unknown().optional(),
});
type Authored = z.infer<typeof Authored>;

/** Answers an AdmissionReview. */
export function answerAuthor(text: string): Answer {
  const parsed = AdmissionReview.safeParse(parseJson(text));
  if (!parsed.success) return malformed("AdmissionReview of admission.k8s.io/v1", parsed.error);
  const { request } = parsed.data;
  return patchAnswer(request.uid, stepsFor(request));
}

function stepsFor({ kind, operation, object, oldObject, userInfo }: AdmissionRequest): readonly PatchStep[] {
  const { group, version } = kind;
  const isOurs = group === databaseResource.group && version === storedVersion && kind.kind === databaseResource.kind;
  const [after, before] = [object, oldObject].map((one) => Authored.safeParse(one).data);
  if (!isOurs || operation !== "UPDATE" || userInfo === undefined || after === undefined || before === undefined)
    return [];
  const said = saidOf(after, before, userInfo.username);
  return stepsOf(after.metadata.annotations, said);
}

/** What is to be written, by the annotation. */
function saidOf(after: Authored, before: Authored, user: string): Readonly<Record<string, string>> {
  const [now, former] = [after, before].map(({ metadata }) => metadata.annotations ?? {}) as [
    Readonly<Record<string, string>>,
    Readonly<Record<string, string>>,
  ];
  const { approve, now: approveNow, by, changedBy } = approvalKeys;
  const isWritten = (key: string): boolean => now[key] !== undefined && now[key] !== former[key];
  // who says it by themselves is held to it
  const approves = [approve, approveNow].some(isWritten) && !isWritten(by);
  const isEdit = !isDeepStrictEqual(after.spec, before.spec);
  // the API server counts it up after this
  const moment = `${before.metadata.uid} ${before.metadata.generation + 1}`;
  const known = former[changedBy];
  const isLost = !isEdit && known !== undefined && now[changedBy] === undefined;
  return {
    ...(approves && { [by]: user }),
    ...(isEdit && { [changedBy]: `${moment} ${user}` }),
    // a replacement of the whole object left it out: what is unchanged is still by whom it was
    ...(isLost && { [changedBy]: known }),
  };
}

function stepsOf(
  annotations: Readonly<Record<string, string>> | undefined,
  said: Readonly<Record<string, string>>,
): readonly PatchStep[] {
  const entries = Object.entries(said).filter(([key, value]) => annotations?.[key] !== value);
  if (entries.length === 0) return [];
  const root = "/metadata/annotations";
  const added = entries.map(([key, value]) => ({
    ...{ op: "add" as const, value },
    path: `${root}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
  }));
  return annotations === undefined ? [{ op: "add", path: root, value: {} }, ...added] : added;
}
