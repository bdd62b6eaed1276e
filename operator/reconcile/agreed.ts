// Whether what is asked for was agreed to already, so that it waits for nothing.
import type { DatabaseMetadata } from "../api/object";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { wishNow } from "./accepted";
import { isTold } from "./held";

/** Whether there is anything that a change could do harm to: of this very Database, with its data. */
export const isRunning = (
  { uid, history, restored }: StackRecord,
  { uid: present }: Pick<DatabaseMetadata, "uid">,
): boolean => uid === present && history.length > 0 && restored?.isDone !== false;

/**
 * Whether `wish` is what was agreed to, or leads back from that to what came through before it. Where a person or a window let it through,
 * half of it is worse than the whole by another release of the operator; where it was harmless, it is finished while the release waits.
 */
export function isAgreed(
  record: StackRecord,
  wish: string,
  metadata: DatabaseMetadata,
  at: Pick<Ports, "world" | "digest">,
): boolean {
  const { agreed, accepted } = record;
  if (agreed === undefined) return false;
  const { former } = agreed;
  if (agreed.wish === wish || former?.wish === wish) return true;
  if (isApart(record)) return false;
  const [next, last] = [agreed, former].map((one) => wishNow(one?.accepted, metadata, at));
  // a change that is a release alone is the same before and after: nothing leads back from it to yet another one
  return wish === last ? accepted === undefined || last !== next : wish === next && accepted === undefined;
}

/** Whether what is half done, if anything is, can be finished without another release of the operator. */
const isApart = ({ agreed, whole, upgrade }: StackRecord): boolean =>
  agreed?.hasWaited === false || (upgrade === undefined && isTold({ whole, agreed }));
