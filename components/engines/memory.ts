// Whether parameters ask for more memory than a member may use: by what its server takes or may fill at the least, so that what is merely
// generous is taken.
import { mebibyte, mebibytesOf } from "../quantities";
import type { Settings } from "../settings";
import type { ParameterProblem } from "./engine";

/** What a server needs at the least for one parameter that a user has set. */
export interface MemoryNeed {
  readonly parameter: string;
  /** In bytes. */
  readonly bytes: number;
}

/** Names the parameter that needs most, where all together need more than the limit of a member's memory. Without a limit there is nothing to say. */
export function memoryProblemsOf(
  { config, resources }: Pick<Settings, "config" | "resources">,
  needs: readonly MemoryNeed[],
): ParameterProblem[] {
  const limit = resources.limits?.["memory"];
  const most = mebibytesOf(limit);
  const total = needs.reduce((sum, { bytes }) => sum + bytes, 0) / mebibyte;
  const [largest] = [...needs].sort((left, right) => right.bytes - left.bytes);
  if (limit === undefined || most === undefined || largest === undefined || total <= most) return [];
  const { parameter } = largest;
  const message = `parameter "${parameter}" is "${config[parameter] ?? ""}": the server would need ${Math.ceil(total)}Mi of memory or more, and the limit of a member is ${limit}: lower it, or raise spec.resources.limits.memory`;
  return [{ parameter, message }];
}
