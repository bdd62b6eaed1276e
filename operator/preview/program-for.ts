// What a run would be handed, secrets included: those of record, or new ones that nothing keeps.
import type { DatabaseProgram, Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import type { Ports } from "../domain/ports";
import { modeOf } from "../domain/tls";

export async function programFor(
  key: Key,
  desired: Desired,
  { credentials, certificates }: Pick<Ports, "credentials" | "certificates">,
): Promise<DatabaseProgram> {
  const [passwords, issued] = await Promise.all([
    credentials.ensure(key),
    modeOf(desired) === "Off" ? undefined : certificates.ensure(key),
  ]);
  return { desired, passwords, ...(issued !== undefined && { certificates: issued.pem }) };
}
