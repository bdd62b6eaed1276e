// Creations that find their object there, as a volume that a smaller Database left: the run takes it over as it is, and makes none.
import type { ChildName } from "../domain/children";
import type { PlannedStep } from "../domain/runner";

/** A Job of before is deleted, and created again. What drifted is told by itself. */
const mayBeThere = ({ kind, name, operation }: PlannedStep, putBack: ReadonlySet<string>): boolean =>
  operation === "create" && kind !== "Job" && !putBack.has(`${kind} ${name}`);

/** `steps`, with what creations take over. `existing` tells which of these objects there are. */
export async function withAdoptions(
  steps: readonly PlannedStep[],
  putBack: ReadonlySet<string>,
  existing: (children: readonly ChildName[]) => Promise<readonly ChildName[]>,
): Promise<readonly PlannedStep[]> {
  const asked = steps.filter((step) => mayBeThere(step, putBack)).map(nameOf);
  if (asked.length === 0) return steps;
  const found = new Set(await existing(asked));
  return steps.map((step) =>
    mayBeThere(step, putBack) && found.has(nameOf(step)) ? { ...step, adopts: true as const } : step,
  );
}

const nameOf = ({ kind, name }: PlannedStep): ChildName => `${kind} ${name}`;
