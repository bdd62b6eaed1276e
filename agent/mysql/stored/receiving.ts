// Gets a copy of a server's files from object storage.
import { mkdir } from "node:fs/promises";
import { ahead } from "../../object-storage/lanes";
import type { Opened } from "../../object-storage/open";
import { Damaged } from "../../object-storage/sealing";
import { checksumsOf, damageIn } from "../copies/manifest";
import { requireWhole, type Contents } from "./catalogue";
import { partOf, type Named } from "./layout";
import { unpack } from "./packing";

/** Parts that are fetched at once, each as a whole. */
const lanes = 3;
const progressMs = 30_000;

/** Puts the files into `to`, which need not be there. Throws a Damaged where they are not what was sent. `log`: told how far it is. */
export async function receive(
  opened: Opened,
  backup: Named,
  { contents, to, log }: { readonly contents: Contents; readonly to: string; readonly log: (message: string) => void },
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o750 });
  await unpack(partsOf(opened, backup, contents, log), to);
  log("copied; verifying");
  const damage = damageIn(await checksumsOf(to), contents);
  if (damage !== undefined) throw new Damaged(damage);
}

async function* partsOf(
  { bucket, sealer }: Opened,
  backup: Named,
  { parts }: Contents,
  log: (message: string) => void,
): AsyncIterable<Buffer> {
  let [count, said] = [0, performance.now()];
  const fetched = ahead(parts.entries(), lanes, async ([index, part]) => {
    const name = partOf(backup, index);
    return sealer.open(name, requireWhole(name, await bucket.get(name), part));
  });
  for await (const part of fetched) {
    yield part;
    count += 1;
    if (performance.now() - said < progressMs) continue;
    said = performance.now();
    log(`copied ${Math.floor((100 * count) / parts.length)} %`);
  }
}
