// All that tell what a change would do: `make preview`, the plugin, the warnings of a dry run, and the operator that lets it wait.
import assert from "node:assert/strict";
import { z } from "zod";
import { effects, type Effect } from "../../contract/effects";
import { warningsOf } from "../../operator/admission/consequences";
import { untilWaits, type Place } from "./approvals";
import { eventually, minutes } from "./eventually";
import type { PlatformCluster } from "./platform-cluster";
import type { PluginUsers } from "./plugin";
import { runPreview } from "./preview";

const AnEffect = z.enum(effects);
const Consequence = z.object({
  ...{ effect: AnEffect, members: z.array(z.string()), message: z.string() },
  waitsFor: z.string().exactOptional(),
});
type Consequence = z.infer<typeof Consequence>;

const Report = z.object({
  outcome: z.literal("Planned"),
  spec: z.array(z.object({ path: z.string() })),
  notes: z.array(z.string()).transform(ofRelease),
  waits: z.string().exactOptional(),
  release: z.object({ waits: z.string(), effect: AnEffect, consequences: z.array(Consequence) }).exactOptional(),
  objects: z.array(z.unknown()),
  effect: AnEffect,
  consequences: z.array(Consequence),
  members: z.array(z.object({ name: z.string(), effect: AnEffect })),
  digest: z.string(),
});
/** What all of them say; of the notes those about a release of the operator. */
export type Foretold = z.infer<typeof Report>;

/** Each once: what a dry run warned of is among the notes as well. */
function ofRelease(notes: readonly string[]): readonly string[] {
  return [
    ...new Set(notes.flatMap((note) => /(?:beside it|it waits with) the operator's release .*/.exec(note) ?? [])),
  ];
}

const weightOf = ({ effect }: Pick<Consequence, "effect">): number => effects.indexOf(effect);

/** As the status shows them. */
const byWeight = (some: readonly Consequence[]): Omit<Consequence, "waitsFor">[] =>
  some
    .filter(({ effect }) => effect !== "None")
    .toSorted((left, right) => weightOf(right) - weightOf(left))
    .map(({ effect, members, message }) => ({ effect, members, message }));

/** Of each member, from the first to the last. */
export const effectsIn = ({ members }: Foretold): readonly Effect[] => members.map(({ effect }) => effect);

interface Tellers extends Pick<PlatformCluster, "environment" | "kubectl"> {
  readonly users: PluginUsers;
}

function reportIn(text: string): Foretold {
  const { items } = z.object({ items: z.array(z.object({ status: z.unknown() })) }).parse(JSON.parse(text));
  assert.equal(items.length, 1);
  return Report.parse(items[0]?.status);
}

/** Asks all of them while the Database is as it is, and returns what they said, where that is the same. */
export async function agreed(object: unknown, { environment, users }: Tellers): Promise<Foretold> {
  const made = await runPreview(environment, object, "--output", "json");
  assert.equal(made.code, 1, made.output);
  const said = reportIn(made.output.slice(made.output.indexOf("{")));
  const served = await users.plugin("preview -f - -o json", { role: "edit", input: object });
  assert.equal(served.code, 1, served.out + served.err);
  assert.deepEqual(reportIn(served.out), said, "the plugin says what make preview says");
  const expected = warningsFor(said);
  // for a moment after a preview there is none for another change
  await eventually(async () => {
    assert.deepEqual(await warned(object, users), expected, "a dry run warns of that and of nothing else");
  }, minutes(1));
  return said;
}

/** That it waits comes first, then what clients notice. */
function warningsFor({ waits, notes, consequences }: Foretold): readonly string[] {
  const first = [...(waits === undefined ? [] : [`it does not happen now: ${waits}`]), ...notes];
  return warningsOf([
    ...first.map((message) => ({ effect: "Exposure" as const, members: [], message })),
    ...consequences,
  ]);
}

/** Of what it does; what begins with a field is about what was written. */
async function warned(object: unknown, users: PluginUsers): Promise<readonly string[]> {
  const { code, err } = await users.kubectl(["apply", "--dry-run=server", "-f", "-"], { role: "edit", input: object });
  assert.equal(code, 0, err);
  const warnings = [...err.matchAll(/^Warning: (.*)$/gm)].map(([, warning = ""]) => warning);
  return warnings.filter((warning) => !warning.startsWith("spec."));
}

/** What the operator says of that change once it is written, and waits for an approval. Returns the fields that wait. */
export async function untilWaitsAs(
  place: Place,
  { effect, consequences, digest, waits = "" }: Pick<Foretold, "effect" | "consequences"> & Partial<Foretold>,
  { kubectl }: Tellers,
): Promise<readonly string[]> {
  const pending = await untilWaits(kubectl, place);
  assert.deepEqual(
    { effect: pending.effect, consequences: pending.consequences, waitsFor: pending.waitsFor },
    { effect, consequences: byWeight(consequences), waitsFor: ["Approval"] },
    "what waits is what was previewed",
  );
  if (digest !== undefined) assert.equal(pending.digest, digest);
  assert.match(waits, /^by the change policy it waits for approval \([A-Za-z, ]+\)$/);
  return pending.changes.map(({ path }) => path).toSorted();
}
