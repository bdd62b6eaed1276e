// Reads Kubernetes quantities of memory, storage and processors.
import type { Resources } from "./args";

/** In bytes. */
export const mebibyte = 1024 ** 2;

const mebibytes: Readonly<Record<string, number>> = {
  "": 1 / 1024 ** 2,
  k: 1000 / 1024 ** 2,
  M: 1000 ** 2 / 1024 ** 2,
  G: 1000 ** 3 / 1024 ** 2,
  T: 1000 ** 4 / 1024 ** 2,
  Ki: 1 / 1024,
  Mi: 1,
  Gi: 1024,
  Ti: 1024 ** 2,
};

/** What a container may use at most, or else what is reserved for it. */
export const quantityOf = ({ limits, requests }: Resources, name: "memory" | "cpu"): string | undefined =>
  limits?.[name] ?? requests?.[name];

/** A quantity of bytes in mebibytes, or nothing when there is none, or it is written in a way that is not worth reading. */
export function mebibytesOf(quantity = ""): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(quantity) ?? [];
  if (digits === undefined) return undefined;
  const factor = mebibytes[unit ?? ""];
  return factor === undefined ? undefined : Number(digits) * factor;
}

/** A quantity of bytes in bytes, or nothing where `mebibytesOf` has none. */
export function bytesOf(quantity = ""): number | undefined {
  const found = mebibytesOf(quantity);
  return found === undefined ? undefined : found * mebibyte;
}

/** A quantity of processors as a whole number, rounded up, or nothing when it is none or written in another way. */
export function cpusOf(quantity = ""): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(m)?$/.exec(quantity) ?? [];
  const cpus = Math.ceil(Number(digits) / (unit === "m" ? 1000 : 1));
  return cpus >= 1 ? cpus : undefined;
}
