// What an edit of a spec would do, by the operator's word. Nothing is written.
import { parse, stringify } from "yaml";
import { z } from "zod";
import { previewResource, previewVersion } from "../../../contract/resources";
import type { PreviewReport } from "../../../operator/preview/report";
import { collectionOf, kinds } from "../../cluster/paths";
import { ApiFailure, type Cluster } from "../../command/world";
import { unservedText } from "../../preview/command";
import { reportIn } from "../../preview/report";
import { mergePatch } from "../../rollback/judge";
import type { Place } from "./read";

const Spec = z.record(z.string(), z.unknown());
const Whole = z.looseObject({ metadata: z.looseObject({ name: z.string() }), spec: Spec.default({}) });

/** The spec of a Database. */
export const specIn = (object: unknown): z.infer<typeof Spec> => Whole.parse(object).spec;

/** The same as a person edits it. */
export const specText = (object: unknown): string => stringify(specIn(object), { lineWidth: 0 });

/** What became of an edit. */
export type Edited =
  | { readonly kind: "report"; readonly report: PreviewReport; readonly patch: string }
  /** It is no spec: nothing was asked. */
  | { readonly kind: "unreadable"; readonly message: string }
  /** Previews are not served, or no operator answers. */
  | { readonly kind: "unserved"; readonly message: string; readonly patch: string }
  /** The person may not, or the API server refuses it. */
  | { readonly kind: "refused"; readonly message: string; readonly isForbidden: boolean };

export async function previewOf(cluster: Cluster, place: Place, { object, text }: Edit): Promise<Edited> {
  const spec = specOf(text);
  if (typeof spec === "string") return { kind: "unreadable", message: spec };
  return previewOfSpec(cluster, place, { object, spec });
}

/** The same of a spec that is one. */
export async function previewOfSpec(
  cluster: Cluster,
  place: Place,
  { object, spec }: { readonly object: unknown; readonly spec: z.infer<typeof Spec> },
): Promise<Edited> {
  const whole = Whole.parse(object);
  const difference = mergePatch(whole.spec, spec);
  // empty where nothing differs
  const patch = Object.keys(difference).length === 0 ? "" : JSON.stringify({ spec: difference });
  const body = {
    apiVersion: `${previewResource.group}/${previewVersion}`,
    kind: previewResource.kind,
    spec: { operation: "Apply", database: { ...whole, status: undefined, spec } },
  };
  try {
    const answer = await cluster.create(collectionOf(kinds.previews, place.namespace), body);
    return { kind: "report", report: reportIn(answer), patch };
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status === 0 || error.status === 401) throw error;
    return unanswered(error, patch);
  }
}

export interface Edit {
  /** The Database as it is. */
  readonly object: unknown;
  /** The spec as it is wanted. */
  readonly text: string;
}

/** A sentence where it is none. */
function specOf(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const { data } = Spec.safeParse(parse(text, { maxAliasCount: 20 }));
    return data ?? "this is no spec: write fields with their values, as they were";
  } catch (error) {
    return `this is no YAML: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function unanswered(error: ApiFailure, patch: string): Edited {
  const why = unservedText(error);
  if (why !== undefined) return { kind: "unserved", message: why, patch };
  return { kind: "refused", message: error.message, isForbidden: error.status === 403 };
}
