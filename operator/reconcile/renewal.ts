// Certificates that are due, where no run can bring them, as the Database is paused, stalls, or its runs fail: its clients could not connect otherwise.
// The two Secrets are all that is written. The next run takes them into the state.
import { authoritySecretName, tlsSecretName } from "../../components/naming";
import type { DatabaseMetadata } from "../api/object";
import { placeOf, type Key } from "../domain/key";
import { due, failed, settled, type Outcome } from "../domain/outcome";
import type { Issued, Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { isDue } from "../domain/tls";
import { withIssued } from "./tls";
import type { Turn } from "./turn";

interface Context {
  readonly at: Pick<Ports, "certificates" | "children" | "records" | "now">;
  readonly turn: Pick<Turn, "looksOnly" | "changed">;
}

const namesOf = (key: Key): readonly string[] => {
  const { name } = placeOf(key);
  return [`Secret ${tlsSecretName(name)}`, `Secret ${authoritySecretName(name)}`];
};

/** See the header. Settled where nothing is due. */
export async function renewAlone(key: Key, { uid }: DatabaseMetadata, { at, turn }: Context): Promise<Outcome> {
  const known = await at.records.load(key);
  const asked = at.now();
  if (known === undefined || known.uid !== uid || !isDue(known.tls, asked)) return settled();
  if (turn.looksOnly) return due();
  const existing = new Set(await at.children.existing(key, namesOf(key)));
  const missing = namesOf(key).filter((secret) => !existing.has(secret));
  if (missing.length > 0)
    return failed("RunFailed", `certificates are not renewed: there is no ${missing.join(", nor ")}`);
  const issued = await at.certificates.ensure(key, { existing, published: known.tls?.published ?? {} });
  await at.certificates.publish(key, issued);
  const renewed = await at.records.save(key, { ...known, ...withIssued(known, issued, { asked, at: at.now() }) });
  turn.changed(renewed, { drift: [], rebuilt: false, takenOver: false, isRenewal: true });
  return settled();
}

/** What a run that failed leaves on record of certificates: they come first in it, and so may be there; and what is due does not wait for one. */
export async function afterFailure(
  key: Key,
  record: Pick<StackRecord, "tls">,
  { issued, asked }: { readonly issued: Issued | undefined; readonly asked: Date },
  at: Context["at"],
): Promise<Pick<StackRecord, "tls">> {
  if (issued === undefined) return {};
  const isThere =
    (await at.certificates.isPublished(key, issued)) ||
    (isDue(record.tls, asked) && (await isPublishedAlone(key, issued, at)));
  return isThere ? withIssued(record, issued, { asked, at: at.now() }) : {};
}

async function isPublishedAlone(key: Key, issued: Issued, { children, certificates }: Context["at"]): Promise<boolean> {
  if ((await children.existing(key, namesOf(key))).length < namesOf(key).length) return false;
  await certificates.publish(key, issued);
  return true;
}
