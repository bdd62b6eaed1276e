// What level 3 of the capability levels asks for: the boxes of the page, each with what holds it. Pure.
import type { Capability } from "../acceptance/capabilities";
import { holderLine } from "./holders";
import { standingOf, type Records } from "./standing";

const levels = "https://sdk.operatorframework.io/docs/overview/operator-capabilities/";

export function capabilityList(capabilities: readonly Capability[], records: Records): string[] {
  return [
    "",
    "## Capability level 3",
    "",
    `What the [capability levels of operators](${levels}) ask for at level 3, _Full Lifecycle_. A box is ticked where nothing that holds it has failed or has not been run since it was written.`,
    "",
    ...capabilities.flatMap((one) => linesOf(one, records)),
  ];
}

function linesOf({ box, otherwise, heldBy }: Capability, records: Records): string[] {
  const isHeld = heldBy.every((holder) => ["passed", "each run"].includes(standingOf(holder, records).outcome));
  return [
    `- [${isHeld ? "x" : " "}] **${box}**${otherwise === undefined ? "" : ` Otherwise here: ${otherwise}.`}`,
    ...heldBy.map((holder) => `  - ${holderLine(holder, records)}`),
  ];
}
