// The run over a stored state: what the operator asks of Pulumi, and what a preview shows of it.
import { childrenIn, forget, retain } from "../checkpoint/checkpoint";
import { namedIn } from "../checkpoint/named";
import type { DatabaseProgram } from "../domain/desired";
import type { Checkpoint, RunRequest } from "../domain/runner";
import type { StackRecord } from "../domain/records";
import type { Key } from "../domain/key";
import { stackOf } from "../domain/stack-names";
import type { ChildName, Children } from "../domain/children";
import type { Look } from "./drift";

export type Update = Pick<RunRequest<DatabaseProgram>, "program" | "checkpoint"> & { readonly refresh: boolean };

/**
 * Undefined where there is no state that can be read. What drifted is forgotten and created again over what exists: an
 * ordinary run compares with its own declarations. Without a digest the last run did not finish, and with another
 * owner the children may be gone: then the cluster is read before comparing. What another client put in the place of a child that is
 * declared no more is forgotten, too: it is not the one to delete.
 */
export async function updateOf(
  key: Key,
  { record, look }: { readonly record: StackRecord | undefined; readonly look: Look },
  program: DatabaseProgram,
  children: Pick<Children, "claimTemplate">,
): Promise<Update | undefined> {
  if (record?.checkpoint === undefined || look.state !== "readable") return undefined;
  const text = record.checkpoint.text();
  const drifted = look.drift.flatMap(({ urn }) => (urn === "" ? [] : [urn]));
  const foreign = urnsOf(look.conflicts, text, stackOf(key));
  // members that keep a former template must find what it names
  const named = namedIn(program.memberTemplate);
  return {
    program: { ...program, ...(look.drift.length > 0 ? await children.claimTemplate(key) : {}) },
    checkpoint: retain(forget(text, new Set([...drifted, ...foreign])), named),
    refresh: record.digest === undefined || record.uid !== program.desired.owner.uid,
  };
}

function urnsOf(children: readonly ChildName[], text: Checkpoint, stack: string): readonly string[] {
  const known = children.length === 0 ? undefined : childrenIn(text, stack);
  return children.flatMap((child) => known?.get(child)?.urn ?? []);
}
