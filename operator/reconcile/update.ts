// The run over a stored state: what the operator asks of Pulumi, and what a preview shows of it.
import { forget } from "../stack/checkpoint";
import type { DatabaseProgram } from "../stack/desired";
import type { RunRequest } from "../stack/runner";
import type { Look } from "./drift";
import type { Children, Key, StackRecord } from "../ports";

export type Update = Pick<RunRequest<DatabaseProgram>, "program" | "checkpoint"> & { readonly refresh: boolean };

/**
 * Undefined where there is no state that can be read. What drifted is forgotten and made again over what exists: an
 * ordinary run compares with its own declarations. Without a digest the last run did not finish, and with another
 * owner the children may be gone: then the cluster is read before comparing.
 */
export async function updateOf(
  key: Key,
  { record, look }: { readonly record: StackRecord | undefined; readonly look: Look },
  program: DatabaseProgram,
  children: Pick<Children, "claimTemplate">,
): Promise<Update | undefined> {
  if (record?.checkpoint === undefined || look.state !== "readable") return undefined;
  return {
    program: { ...program, ...(look.drift.length > 0 ? await children.claimTemplate(key) : {}) },
    checkpoint: forget(record.checkpoint.text(), new Set(look.drift.flatMap(({ urn }) => (urn === "" ? [] : [urn])))),
    refresh: record.digest === undefined || record.uid !== program.desired.owner.uid,
  };
}
