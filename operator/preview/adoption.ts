// Creations that find their object there, as a volume that a smaller Database left: the run takes it over as it is, and makes none.
import { backupClaimName, dataClaimNames } from "../../components/naming";
import { differencesIn } from "../consequences/fields";
import type { ChildName } from "../domain/children";
import type { Desired } from "../domain/desired";
import type { Key } from "../domain/key";
import type { FieldChange, PlannedStep } from "../domain/runner";
import { wantedSize } from "../reconcile/drift";
import type { Cluster } from "./cluster";

/** A Job of before is deleted, and created again. What drifted is told by itself. */
const mayBeThere = ({ kind, name, operation }: PlannedStep, putBack: ReadonlySet<string>): boolean =>
  operation === "create" && kind !== "Job" && !putBack.has(`${kind} ${name}`);

/** What is asked of the cluster. */
export interface Found {
  /** Those among `children` that there are. */
  readonly existing: (children: readonly ChildName[]) => Promise<readonly ChildName[]>;
  /** How a claim that there is grows when it is used again: nothing where it has its size. */
  readonly growthOf: (claim: string) => Promise<readonly FieldChange[]>;
}

interface Asked {
  readonly children: Pick<Cluster["children"], "existing">;
  readonly volumes: Pick<Cluster["volumes"], "sizeOf">;
}

/** In that cluster. */
export const foundIn = ({ children, volumes }: Asked, key: Key, desired: Desired): Found => {
  const { owner, spec } = desired;
  const claims = new Set([...dataClaimNames(owner.name, spec.replicas), backupClaimName(owner.name)]);
  return {
    existing: (names) => children.existing(key, names),
    growthOf: async (claim) => {
      if (!claims.has(claim)) return [];
      const size = await volumes.sizeOf(owner.namespace, claim);
      return differencesIn(
        "spec.resources.requests.storage",
        size,
        wantedSize(`PersistentVolumeClaim ${claim}`, desired),
      );
    },
  };
};

/** `steps`, with what creations take over. */
export async function withAdoptions(
  steps: readonly PlannedStep[],
  putBack: ReadonlySet<string>,
  { existing, growthOf }: Found,
): Promise<readonly PlannedStep[]> {
  const asked = steps.filter((step) => mayBeThere(step, putBack)).map(nameOf);
  if (asked.length === 0) return steps;
  const found = new Set(await existing(asked));
  return Promise.all(
    steps.map(async (step) => {
      if (!mayBeThere(step, putBack) || !found.has(nameOf(step))) return step;
      const fields = step.kind === "PersistentVolumeClaim" ? await growthOf(step.name) : [];
      return { ...step, adopts: true as const, fields };
    }),
  );
}

const nameOf = ({ kind, name }: PlannedStep): ChildName => `${kind} ${name}`;
