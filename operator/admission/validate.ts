// /validate: whether a change of a Database is let through, and of what its author is warned.
import { z } from "zod";
import { DatabaseSpec } from "../api/spec";
import { DatabaseStatus } from "../api/status";
import { parseJson } from "../objects/json";
import {
  admissionAnswer,
  AdmissionReview,
  malformed,
  type AdmissionRequest,
  type Answer,
  type Later,
  type Verdict,
} from "./review";
import { databaseResource, storedVersion } from "../../contract/resources";
import { consequenceWarnings } from "./consequences";
import { verdictOn, type AdmissionReads } from "./verdict";

const Specified = z.object({ spec: DatabaseSpec });
/** What cannot be read of it counts as unknown: the reconcile judges by its own record. */
const Ran = z.object({ status: DatabaseStatus.pick({ version: true, upgrade: true }) });
const allowed: Verdict = { problems: [], warnings: [] };

/** Answers an AdmissionReview. Rejects where the cluster cannot be read: then the API server continues without an answer. */
export async function answerAdmission(text: string, at: AdmissionReads): Promise<Answer | Later> {
  const since = performance.now();
  const parsed = AdmissionReview.safeParse(parseJson(text));
  if (!parsed.success) return malformed("AdmissionReview of admission.k8s.io/v1", parsed.error);
  const { request } = parsed.data;
  const { group, version, kind } = request.kind;
  if (group !== databaseResource.group || version !== storedVersion || kind !== databaseResource.kind) {
    return {
      kind: "malformed",
      problem: `not about a Database of ${databaseResource.group}/${storedVersion}: ${group}/${version} ${kind}`,
    };
  }
  const verdict = await verdictOnRequest(request, at);
  const { consequences } = at;
  if (consequences === undefined || verdict.problems.length > 0 || !hasConsequences(request, at))
    return admissionAnswer(request.uid, verdict);
  const told = {
    object: request.object,
    fieldManager: request.options?.fieldManager,
    until: since + consequences.withinMs,
  };
  return {
    kind: "later",
    finish: async () => {
      const warnings = [...verdict.warnings, ...(await consequenceWarnings(told, consequences.tell))];
      return admissionAnswer(request.uid, { ...verdict, warnings });
    },
  };
}

const Named = z.object({ metadata: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }) });

/**
 * Whether it changes a Database that is there: of a new one there is nothing to tell that its author does not know. Any client that reaches the port
 * can send a review, and a preview costs much more: so it must name a Database that this operator watches by its UID.
 */
function hasConsequences(
  { operation, object, namespace, name }: AdmissionRequest,
  { database }: AdmissionReads,
): boolean {
  const named = Named.safeParse(object).data?.metadata;
  if (operation !== "UPDATE" || named?.namespace !== namespace || named.name !== name) return false;
  return Named.safeParse(database(`${namespace}/${name}`)).data?.metadata.uid === named.uid;
}

async function verdictOnRequest(request: AdmissionRequest, at: AdmissionReads): Promise<Verdict> {
  if (request.operation !== "CREATE" && request.operation !== "UPDATE") return allowed;
  const after = Specified.safeParse(request.object);
  // the API server's rules, or the reconcile, say what is wrong with one that cannot be read
  if (!after.success) return allowed;
  const before = Specified.safeParse(request.oldObject);
  const { namespace, name } = request;
  const ran = Ran.safeParse(request.oldObject).data?.status ?? {};
  return verdictOn({ namespace, name, before: before.data?.spec, after: after.data.spec, ran }, at);
}
