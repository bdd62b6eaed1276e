// Certificates of a Database that is paused, or stalls for another reason than what it asks for: what is due of them is done all the same, as its
// clients could not connect otherwise. Members keep their template, and nothing is repaired; what another release of the operator declares of other
// children is applied with it.
import type { DatabaseMetadata } from "../api/object";
import type { ChildName } from "../domain/children";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import { due, settled, type Outcome } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import { stackOf } from "../domain/stack-names";
import { isDue } from "../domain/tls";
import { acceptedOf } from "./accepted";
import { carryOut, type Change, type Context } from "./carry-out";
import { lookAtChildren } from "./drift";
import { heldAsItIs } from "./held";
import { withRecorded } from "./recorded";
import { withGrown } from "./storage";

/** See the header. Settled where nothing is due, or it cannot be done without more. */
export async function renewAlone(key: Key, metadata: DatabaseMetadata, context: Context): Promise<Outcome> {
  const { at, turn, by } = context;
  const known = await at.records.load(key);
  const desired = known && dueOf(known, metadata, at);
  // without it another release of the operator could restart members
  const held = known && heldAsItIs(known);
  if (known === undefined || desired === undefined || held?.memberTemplate === undefined) return settled();
  const stack = stackOf(key);
  const look = await lookAtChildren(key, known, stack, at);
  if (look.state !== "readable" || look.conflicts.length > 0) return settled();
  if (turn.looksOnly) return due();
  const change: Change = { ...held, isRenewal: true, takenOver: false, drift: [], by, look: { ...look, drift: [] } };
  const run = { ...context, change, stack, metadata, ours: new Map<ChildName, string>(), isKept: true, isPaused: true };
  return carryOut(key, known, desired, run);
}

/** What runs, where something of its certificates is due. */
function dueOf(known: StackRecord, metadata: DatabaseMetadata, at: Context["at"]): Desired | undefined {
  // after a run that failed the next one reads the cluster, and undoes what people do meanwhile
  if (known.tls === undefined || known.digest === undefined || !isDue(known.tls, at.now())) return undefined;
  const wanted = acceptedOf(known, metadata, at);
  if (wanted === undefined) return undefined;
  const recorded = withRecorded(wanted, { record: known, tls: known.tls }, at.world.catalogue);
  return withGrown({ ...recorded, tls: known.tls.declared }, known);
}
