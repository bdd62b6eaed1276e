// How a member's containers ended, and why Kubernetes takes its pod away: read from the pod's status.
import { z } from "zod";
import type { Member } from "../domain/members";
import { shortened } from "../domain/shortened";

const Terminated = z.object({
  reason: z.string().default(""),
  exitCode: z.number().default(0),
  message: z.string().default(""),
});
const State = z.object({ terminated: Terminated.optional() });
const Status = z.object({
  conditions: z
    .array(
      z.object({
        type: z.string(),
        status: z.string(),
        reason: z.string().default(""),
        message: z.string().default(""),
      }),
    )
    .default([]),
  containerStatuses: z
    .array(z.object({ name: z.string(), lastState: State.default({}), restartCount: z.number().default(0) }))
    .default([]),
});
const Pod = z.object({ status: Status.prefault({}) });

/** Longest text, in characters. */
const longest = 300;

/** See the header; parts that there are not are missing. */
export function endsOf(pod: unknown): Pick<Member, "ends" | "ending" | "disruption"> {
  const { data } = Pod.safeParse(pod);
  if (data === undefined) return {};
  const { conditions, containerStatuses } = data.status;
  const ends = containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const ended = containerStatuses.find(({ lastState }) => lastState.terminated !== undefined);
  const target = conditions.find(({ type, status }) => type === "DisruptionTarget" && status === "True");
  return {
    ...(ends > 0 && { ends }),
    ...(ended?.lastState.terminated !== undefined && { ending: endingText(ended.name, ended.lastState.terminated) }),
    ...(target !== undefined && { disruption: shortened(`${target.reason}: ${target.message}`, longest) }),
  };
}

function endingText(container: string, { reason, exitCode, message }: z.infer<typeof Terminated>): string {
  const said = message.trim().split("\n").at(-1)?.trim() ?? "";
  const how = reason === "" ? `exit code ${exitCode}` : `${reason}, exit code ${exitCode}`;
  return shortened(`container ${container} ended (${how})${said === "" ? "" : `: ${said}`}`, longest);
}
