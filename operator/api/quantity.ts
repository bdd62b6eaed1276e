// Compares the few forms of Kubernetes quantities the spec admits; it knows no others.
const FACTORS: Readonly<Record<string, number>> = {
  m: 1e-3,
  "": 1,
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
