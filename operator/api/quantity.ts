// Kubernetes quantities as numbers, in the forms that the spec admits and those in which nodes report what they have.
const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The number a quantity such as `500m`, `0.5` or `4Gi` stands for (cores or bytes), NaN where it is none. */
export function valueOf(quantity: string): number {
  const [, digits, suffix] = /^([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)$/.exec(quantity) ?? [];
  return Number(digits) * (FACTORS[suffix ?? "?"] ?? Number.NaN);
}

/** Whether `request` is at most `limit`; what is missing fits. */
export function fitsIn(request: string | undefined, limit: string | undefined): boolean {
  return request === undefined || limit === undefined || valueOf(request) <= valueOf(limit);
}
