// What Pulumi leaves of a change, and the operator removes once members have restarted. Pure.
import { tlsSecretName } from "../../components/naming";
import type { Circumstances } from "../consequences/circumstances";
import type { PlannedStep } from "../domain/runner";

/** The steps, and of those that go later that they go. Where no node takes a member none restarts, so that all stays for now. */
export function withRemovals(
  steps: readonly PlannedStep[],
  { name, noPlace }: Pick<Circumstances, "name" | "noPlace">,
): readonly PlannedStep[] {
  const goes = ({ kind, name: child }: PlannedStep): boolean => kind === "Secret" && child === tlsSecretName(name);
  return noPlace === undefined ? steps.map((step) => (goes(step) ? { ...step, retained: false } : step)) : steps;
}
