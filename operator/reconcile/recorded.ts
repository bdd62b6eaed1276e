// What is desired, with what is on record of a Database: the same for a run, a preview, and a copy of the stack.
import type { Catalogue } from "../api/catalogue";
import type { Desired } from "../domain/desired";
import type { StackRecord } from "../domain/records";
import { withKeptBackups } from "./kept-backups";
import { withUpgrade } from "./upgrade-declared";

/** With the phase that a major upgrade is in, and the backups that retention must not remove. */
export const withRecorded = (wanted: Desired, record: StackRecord | undefined, catalogue: Catalogue): Desired =>
  withKeptBackups(withUpgrade(wanted, record?.upgrade, catalogue), record);
