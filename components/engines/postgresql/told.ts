// What keeps WAL on the backup volume tells how that fares by its last statement: parameters that would cut it off.
import { isArchived } from "../../archiving";
import type { Settings } from "../../settings";
import type { ParameterProblem } from "../engine";
import { bytesOf } from "./values";

/** The longest such statement, and its end. */
const leastBytes = 1_024;

/** The server takes the beginning of each word. */
const isOff = (value: string): boolean =>
  value !== "" && ["off", "false", "no", "0"].some((word) => word.startsWith(value.toLowerCase()));

/** Which parameters do not go together with `backup.pointInTime` on a volume. */
export function toldProblems(settings: Settings): ParameterProblem[] {
  if (!isArchived(settings)) return [];
  const { track_activities: tracked = "on", track_activity_query_size: size = "1kB" } = settings.config;
  const needed =
    "spec.backup.pointInTime on a volume needs it: what keeps the WAL says by its statements how that fares";
  const problems: ParameterProblem[] = [];
  if (isOff(tracked)) {
    const message = `parameter "track_activities" is "${tracked}": leave it out, as ${needed}`;
    problems.push({ parameter: "track_activities", message });
  }
  if ((bytesOf(size) ?? leastBytes) < leastBytes) {
    const message = `parameter "track_activity_query_size" is "${size}": write ${leastBytes} or more, as ${needed}`;
    problems.push({ parameter: "track_activity_query_size", message });
  }
  return problems;
}
