// Objects as they may be shown to others: without values that may be secret, and what says nothing. Pure.

const hidden = "[redacted]";

/** Fields whose value may be a secret. References to Secrets are none: they have their names. */
const secret = /(password|passphrase|token|api_?key|access_?key|secret_?key)$/i;

/** What clients note for themselves, and the whole of an object once more. */
const noise: ReadonlySet<string> = new Set(["managedFields", "kubectl.kubernetes.io/last-applied-configuration"]);

export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      noise.has(key) ? [] : [[key, inField(key, inner)]],
    ),
  );
}

function inField(key: string, value: unknown): unknown {
  if (key === "env" && Array.isArray(value)) return value.map(variable);
  return typeof value === "string" && secret.test(key) ? hidden : redacted(value);
}

/** Where its value comes from stays: a Secret by its name, or a field of the pod. */
function variable(one: unknown): unknown {
  if (typeof one !== "object" || one === null || !("value" in one)) return redacted(one);
  return { ...one, value: hidden };
}
