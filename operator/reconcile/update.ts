// The run over a stored state: what the operator asks of Pulumi, and what a preview shows of it.
import { forget } from "../checkpoint/checkpoint";
import type { DatabaseProgram } from "../domain/desired";
import type { RunRequest } from "../domain/runner";
import type { StackRecord } from "../domain/records";
import type { Key } from "../domain/key";
import type { Children } from "../domain/children";
import type { Look } from "./drift";

export type Update = Pick<RunRequest<DatabaseProgram>, "program" | "checkpoint"> & { readonly refresh: boolean };

/**
 * Undefined where there is no state that can be read. What drifted is forgotten and created again over what exists: an
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
