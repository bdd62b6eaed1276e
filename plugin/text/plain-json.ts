// JSON without what a terminal would act on: texts in objects are written by many, and are printed as they come.

import { plainText } from "../../operator/objects/plain-text";

export { plainText } from "../../operator/objects/plain-text";

/** Escaped, or as they are; line breaks and tabs are plain. Those that JSON itself must escape begin with `\u00`; the last turn text around. */
const suspicious = /\\u(?:00[0189]|20[26])|\\[bfr]|[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/i;

/** Throws for what is no JSON. */
export function plainJson(text: string): unknown {
  if (!suspicious.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown) => (typeof value === "string" ? plainText(value) : value));
}
