// Spoils the Secrets in which the operator remembers a stack, as people, backups and disks do.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";
import type { Kubectl } from "../harness/kubectl";
import { operatorNamespace } from "./picture";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const Kept = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  data: z.record(z.string(), z.string()).default({}),
});
/** What a Secret held at one time. */
export type Kept = z.infer<typeof Kept>;

export const stateSecret = (namespace: string): string => `state.${namespace}.shop`;

/** What the Secret with the state holds now. Throws where there is none. */
export async function readState(kubectl: Kubectl, namespace: string): Promise<Kept> {
  return Kept.parse(await kubectl.find("secret", stateSecret(namespace), operatorNamespace));
}

export async function deleteSecret(kubectl: Kubectl, name: string): Promise<void> {
  await kubectl("delete", "secret", name, "-n", operatorNamespace);
}

/** Writes a former content, annotations and all, into the Secret. */
export async function putBack(kubectl: Kubectl, namespace: string, { metadata, data }: Kept): Promise<void> {
  const patch = JSON.stringify({ metadata, data });
  await kubectl("patch", "secret", stateSecret(namespace), "-n", operatorNamespace, "--type=merge", "-p", patch);
}

/** Replaces the stored checkpoint by what `spoil` makes of it, and returns that as it is stored. */
export async function spoilCheckpoint(
  kubectl: Kubectl,
  namespace: string,
  spoil: (stored: Buffer) => Buffer | Promise<Buffer>,
): Promise<string> {
  const { data } = await readState(kubectl, namespace);
  const checkpoint = (await spoil(Buffer.from(data["checkpoint"] ?? "", "base64"))).toString("base64");
  const patch = JSON.stringify({ data: { checkpoint } });
  await kubectl("patch", "secret", stateSecret(namespace), "-n", operatorNamespace, "--type=merge", "-p", patch);
  return checkpoint;
}

export const truncated = (stored: Buffer): Buffer => stored.subarray(0, stored.length / 2);

/** In the middle, where it is neither the head of the file nor its end. */
export function withFlippedBit(stored: Buffer): Buffer {
  const copy = Buffer.from(stored);
  const middle = Math.floor(copy.length / 2);
  copy[middle] = (copy[middle] ?? 0) ^ 0b100;
  return copy;
}

/** JSON all right, but the last characters of every encrypted value are others, as with another key. */
export async function garbled(stored: Buffer): Promise<Buffer> {
  const text = (await decompress(stored)).toString("utf8");
  const spoilt = text.replaceAll(/("ciphertext":"[^"]{20,}?)[^"]{4}"/g, '$1AAA="');
  if (spoilt === text) throw new Error("there is no encrypted value in the state");
  return compress(spoilt);
}
