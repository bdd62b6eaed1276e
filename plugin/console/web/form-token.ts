// The token of forms: made of who the visitor is, by a key that no browser has. It stands in pages that only they can read.
import { createHmac, timingSafeEqual } from "node:crypto";

export const formTokenOf = (secret: Buffer, visitor: string): string =>
  createHmac("sha256", secret).update(`form ${visitor}`).digest("base64url");

/** Whether both are the same; it takes as long where they are not. */
export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
