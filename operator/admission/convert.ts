// /convert: Databases from one version of the API into another.
import { convertDatabase } from "../api/conversion";
import { parseExactly } from "./exact-json";
import { conversionAnswer, ConversionReview, malformed, type Answer, type Converted } from "./review";

/** Answers a ConversionReview. One object that cannot be converted fails the whole: the API server takes all or none. */
export function answerConversion(text: string): Answer {
  const parsed = ConversionReview.safeParse(exactlyOf(text));
  if (!parsed.success) return malformed("ConversionReview of apiextensions.k8s.io/v1", parsed.error);
  const { uid, desiredAPIVersion, objects } = parsed.data.request;
  return conversionAnswer(uid, convertAll(objects, desiredAPIVersion));
}

function convertAll(objects: readonly unknown[], apiVersion: string): Converted {
  const converted: unknown[] = [];
  for (const [index, object] of objects.entries()) {
    const conversion = convertDatabase(object, apiVersion);
    if (!conversion.ok) return { ok: false, problem: `object ${index} ${conversion.problem}` };
    converted.push(conversion.object);
  }
  return { ok: true, objects: converted };
}

function exactlyOf(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
