// What is desired, with what is on record of a Database: the same for a run, a preview, and a copy of the stack.
import type { Catalogue } from "../api/catalogue";
import type { Desired } from "../domain/desired";
import type { StackRecord } from "../domain/records";
import type { TlsRecord } from "../domain/tls";
import { withKeptBackups } from "./kept-backups";
import { withTls } from "./tls";
import { withUpgrade } from "./upgrade-declared";

interface Recorded {
  readonly record: StackRecord | undefined;
  /** What is known of its TLS. */
  readonly tls: TlsRecord;
}

/** With the phase that a major upgrade is in, the backups that retention must not remove, and the TLS that members get now. */
export const withRecorded = (wanted: Desired, { record, tls }: Recorded, catalogue: Catalogue): Desired =>
  withTls(withKeptBackups(withUpgrade(wanted, record?.upgrade, catalogue), record), tls);
