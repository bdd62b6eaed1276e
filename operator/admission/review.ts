// The envelopes in which the API server asks a webhook, and in which it is answered.
import { z } from "zod";
import { DNS_LABEL, DNS_NAME } from "../api/fields";
import { JsonText } from "./json-text";

/** What goes back to the API server: a review, or that what came was none. */
export type Answer =
  | { readonly kind: "review"; /** A value, or JSON. */ readonly review: unknown }
  | { readonly kind: "malformed"; readonly problem: string };

/** What has been worked out, and what is left: to wait for others. */
export interface Later {
  readonly kind: "later";
  readonly finish: () => Promise<Answer>;
}

const conversionVersion = "apiextensions.k8s.io/v1";
const admissionVersion = "admission.k8s.io/v1";

export const ConversionReview = z.object({
  apiVersion: z.literal(conversionVersion),
  kind: z.literal("ConversionReview"),
  request: z.object({
    uid: z.string(),
    desiredAPIVersion: z.string(),
    /** A list. */
    objects: z.instanceof(JsonText, { error: "must be a list" }),
  }),
});

/**
 * Any client that reaches the port can send a review. Names become parts of paths that are read with the operator's rights: they are
 * what the API server itself sends, or there is no review.
 */
const Namespace = z.string().regex(DNS_LABEL, "must be the name of a namespace");
/** Empty where the API server must still generate one. */
const Name = z
  .string()
  .max(253)
  .regex(new RegExp(`^(${DNS_NAME})?$`), "must be the name of an object");

export const AdmissionReview = z.object({
  apiVersion: z.literal(admissionVersion),
  kind: z.literal("AdmissionReview"),
  request: z.object({
    uid: z.string(),
    kind: z.object({ group: z.string(), version: z.string(), kind: z.string() }),
    operation: z.string(),
    name: Name.default(""),
    namespace: Namespace,
    object: z.unknown().optional(),
    oldObject: z.unknown().optional(),
    userInfo: z.object({ username: z.string().min(1) }).optional(),
    options: z.looseObject({ fieldManager: z.string().optional() }).nullish().catch(undefined),
  }),
});
export type AdmissionRequest = z.infer<typeof AdmissionReview>["request"];

/** All objects converted, in their order and each as JSON, or why none is. */
export type Converted =
  { readonly ok: true; readonly objects: readonly string[] } | { readonly ok: false; readonly problem: string };

export function conversionAnswer(uid: string, converted: Converted): Answer {
  const result = converted.ok ? { status: "Success" } : { status: "Failed", message: converted.problem };
  // as text: parsed, a list of Databases takes many times as much memory
  const objects = converted.ok ? converted.objects.join(",") : "";
  const response = `{"uid":${JSON.stringify(uid)},"result":${JSON.stringify(result)},"convertedObjects":[${objects}]}`;
  const text = `{"apiVersion":"${conversionVersion}","kind":"ConversionReview","response":${response}}`;
  return { kind: "review", review: new JsonText(text) };
}

/** What is wrong with a Database, so that it is refused, and what is likely a mistake, which its author is warned of. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export function admissionAnswer(uid: string, { problems, warnings }: Verdict): Answer {
  const refusal = { code: 422, reason: "Invalid", message: problems.join("; ") };
  const isAllowed = problems.length === 0;
  const response = { uid, allowed: isAllowed, ...(isAllowed ? {} : { status: refusal }), warnings };
  return { kind: "review", review: { apiVersion: admissionVersion, kind: "AdmissionReview", response } };
}

/** A step of a JSON patch. */
export interface PatchStep {
  readonly op: "add";
  /** As a JSON pointer. */
  readonly path: string;
  readonly value: unknown;
}

/** Lets through what is reviewed, with these steps. */
export function patchAnswer(uid: string, steps: readonly PatchStep[]): Answer {
  const patch = Buffer.from(JSON.stringify(steps)).toString("base64");
  const response = { uid, allowed: true, ...(steps.length > 0 && { patchType: "JSONPatch", patch }) };
  return { kind: "review", review: { apiVersion: admissionVersion, kind: "AdmissionReview", response } };
}

/** Says where `what` is none. */
export function malformed(what: string, error: z.ZodError): Answer {
  const problems = error.issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
  return { kind: "malformed", problem: `not a ${what}: ${problems.join("; ")}` };
}
