// Whether writes wait while a member is away. Pure.
import { factsOf } from "../../contract/engines";
import type { DatabaseSpec } from "../api/spec";

/** Of one member nothing is left, which is told by itself; of three and more writes need no more than all but one. */
export function needsAll({ engine, replicas, highAvailability }: DatabaseSpec): boolean {
  const { synchronousCommit, synchronous } = highAvailability;
  const isStrict = synchronousCommit && synchronous?.strict === true;
  return replicas === 2 && (isStrict || factsOf(engine).isMissedWhenStopped);
}
