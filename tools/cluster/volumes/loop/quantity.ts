// Reads Kubernetes quantities of bytes.

const FACTORS: Readonly<Record<string, number>> = {
  "": 1,
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50 },
};

/** Bytes of a quantity such as "10Gi", "1.5G", "1e9" or "1048576", rounded up. Throws when it is none. */
export function bytesOf(quantity: string): number {
  const match = /^(\d+(?:\.\d*)?(?:[eE]\d+)?)([kMGTP]?|[KMGTP]i)$/.exec(quantity);
  const factor = FACTORS[match?.[2] ?? ""];
  if (!match?.[1] || factor === undefined) throw new Error(`"${quantity}" is not a quantity of bytes`);
  return Math.ceil(Number(match[1]) * factor);
}
