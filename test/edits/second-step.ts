// The second step of a change of TLS: a preview tells it in a sentence, while its objects are those of the first step. Pure.
import { initJobName, firstBackupJobName, tlsSecretName } from "../../components/naming";
import type { ObjectChange } from "./objects";

/** What depends on the mode, by the paths of leaves. */
const ofTls = /pg_hba|ssl|tls|authorities|require_secure_transport|^data\.uri$/i;

/** What is left of a change without all that the second step can do; undefined where nothing is. */
export function withoutSecondStep(change: ObjectChange, name: string): ObjectChange | undefined {
  const { child, operation, fields } = change;
  if (operation === "delete" && child === `Secret ${tlsSecretName(name)}`) return undefined;
  if (operation === "replace" && [initJobName(name), firstBackupJobName(name)].some((job) => child === `Job ${job}`))
    return undefined;
  const left = fields.filter(({ path }) => !ofTls.test(path));
  return left.length === 0 && fields.length > 0 ? undefined : { ...change, fields: left };
}
