// Asks Pulumi what a prepared request would do, and puts the answer together with what was known before.
import { tmpdir } from "node:os";
import { memberName } from "../../components/naming";
import type { DatabaseProgram } from "../domain/desired";
import { openStacks, type PulumiMode } from "../stack/open";
import { programVersion } from "../stack/program-version";
import type { Ahead } from "../stack/resident/ahead";
import type { PreviewResult, StackPreviewer } from "../domain/runner";
import { textOf } from "../reconcile/drift";
import type { Consequence } from "../consequences/consequence";
import { deletionOf, outlives } from "../consequences/deletion";
import { consequencesOf } from "../consequences/table";
import { besideText, withReleaseText } from "../reconcile/beside-texts";
import { withAdoptions } from "./adoption";
import { withRemovals } from "./afterwards";
import { planDigest } from "./digest";
import type { Previewed } from "./plan";
import { rebuildNote } from "./notes";
import { policyNote } from "./policy-note";
import { awaitedIn } from "./waits";
import type { PreparedChange, PreparedDeletion } from "./prepare";

/** Longest preview, in milliseconds. */
const deadlineMs = 120_000;

/** `passphrase` is the key of the stacks' secrets, `signal` ends previews early, `ahead` is a resident Pulumi that starts already. */
export async function openPreviewer(
  mode: PulumiMode,
  passphrase: string,
  signal: AbortSignal,
  ahead?: Ahead,
): Promise<Previewer> {
  const log = { info: () => undefined, warn: () => undefined };
  const stacks = await openStacks({ mode, passphrase, workDirectory: tmpdir(), deadlineMs, log, ahead });
  return { preview: (request) => stacks.preview({ ...request, signal }), close: () => stacks.close() };
}

/** Previews until it is closed. */
export interface Previewer extends StackPreviewer<DatabaseProgram> {
  close(): Promise<void>;
}

/** Carries a preview through. */
export function previewed(
  prepared: PreparedChange | PreparedDeletion,
  stacks: StackPreviewer<DatabaseProgram>,
): Promise<Previewed> {
  return prepared.kind === "change" ? previewChange(prepared, stacks) : previewDeletion(prepared, stacks);
}

async function previewChange(prepared: PreparedChange, stacks: StackPreviewer<DatabaseProgram>): Promise<Previewed> {
  const { database, circumstances, look, isHeld, left } = prepared;
  const result = await stacks.preview(prepared.request);
  const isLost = result.kind === "corrupt";
  const final = isLost ? await stacks.preview(await prepared.adopt()) : result;
  if (final.kind !== "succeeded") return failedWith(database, final);
  const intent = circumstances.exists ? "change" : "create";
  const desired = prepared.request.program?.desired;
  const { harmful } = final;
  const putBack = new Set<string>(look.drift.filter(({ kind }) => kind !== "deleted").map(({ child }) => child));
  const steps = await withAdoptions(final.steps, putBack, prepared.found);
  const told = consequencesOf(steps, { ...circumstances, isRebuilt: circumstances.isRebuilt || isLost });
  const consequences = [...told, ...(prepared.isHalfDone ? [halfDone] : [])];
  const { primary } = circumstances;
  const behind = prepared.isBehind ? [behindNote] : [];
  const waits = policyNote(prepared.policies, consequences, new Date());
  const made = { database, intent, programVersion: programVersion(), plans: prepared.plans, desired } as const;
  return {
    kind: "plan",
    database,
    intent,
    asked: prepared.asked,
    notes: [...waitingNotes(prepared, waits), ...prepared.notes, ...(isLost ? [rebuildNote] : []), ...behind],
    drift: look.drift.map(textOf),
    ...{ putBack, steps: withRemovals(steps, circumstances), harmful, consequences },
    memberNames: Array.from({ length: circumstances.members }, (_, ordinal) => memberName(circumstances.name, ordinal)),
    digest: planDigest({ ...made, primary, lasting: [], steps, consequences }),
    ...{ wish: prepared.wish, primary, waits, isHeld, left },
    withRelease: waits && prepared.withRelease,
  };
}

/** For what it waits, and how it stands to a release of the operator that does. */
function waitingNotes({ withRelease, left }: PreparedChange, waits: string | undefined): readonly string[] {
  if (left !== undefined) return [besideText(awaitedIn(left.waits))];
  if (waits === undefined) return [];
  return [waits, ...(withRelease === undefined ? [] : [withReleaseText(withRelease)])];
}

const behindNote =
  "the last run does not match the Database as it is now: some of this is already in progress, or comes from another version of the operator";

const halfDone: Consequence = {
  effect: "CannotBeTold",
  members: [],
  message: "the last change was not carried out whole: what this one means beside that cannot be told",
};

async function previewDeletion(
  prepared: PreparedDeletion,
  stacks: StackPreviewer<DatabaseProgram>,
): Promise<Previewed> {
  const { database, notes, by, lasting, request } = prepared;
  const result = request.checkpoint === undefined ? nothing : await stacks.preview(request);
  // what an unreadable state knows of is found by its labels
  if (result.kind !== "succeeded" && result.kind !== "corrupt") return failedWith(database, result);
  const fates = lasting.map((one) => ({ ...one, stays: outlives(by, one) }));
  const kept = new Set(fates.filter(({ stays }) => stays).map(({ child }) => child));
  // Pulumi leaves all that lasts; the operator removes what the policy does not keep
  const steps = (result.kind === "succeeded" ? result.steps : []).map((step) => ({
    ...step,
    retained: step.retained && kept.has(`${step.kind} ${step.name}`),
  }));
  const unreadable =
    result.kind === "corrupt" ? ["the stored state cannot be read: children are found by their labels"] : [];
  const consequences = deletionOf(by, lasting);
  const made = { database, intent: "delete", programVersion: programVersion(), plans: prepared.plans } as const;
  const none = { desired: undefined, primary: undefined } as const;
  return {
    ...{ kind: "plan", intent: "delete", database, asked: [], drift: [], putBack: new Set(), harmful: [] },
    notes: [...notes, ...unreadable],
    ...{ steps, consequences },
    memberNames: [],
    digest: planDigest({ ...made, ...none, lasting: fates, steps, consequences }),
    primary: undefined,
    isHeld: false,
  };
}

const nothing: PreviewResult = { kind: "succeeded", steps: [], harmful: [] };

function failedWith(database: string, { kind, problem }: Exclude<PreviewResult, { kind: "succeeded" }>): Previewed {
  const what = kind === "timedOut" ? "Pulumi did not finish in time" : "Pulumi cannot determine it";
  const where = problem.resource === undefined ? "" : `${problem.resource}: `;
  return { kind: "failed", database, message: `${what}: ${where}${problem.message}` };
}
