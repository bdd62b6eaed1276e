// How a member's containers ended, or its server alone, and why Kubernetes takes its pod away: read from the pod.
import { z } from "zod";
import { serverEndAnnotation, serverEndText } from "../../contract/server-end";
import type { Member } from "../domain/members";
import { parseJson } from "../objects/json";
import { shortened } from "../domain/shortened";

const Terminated = z.object({
  reason: z.string().default(""),
  exitCode: z.number().default(0),
  message: z.string().default(""),
  finishedAt: z.string().nullish(),
});
const State = z.object({ terminated: Terminated.optional() });
const Container = z.object({ name: z.string(), lastState: State.default({}), restartCount: z.number().default(0) });
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
  containerStatuses: z.array(Container).default([]),
});
const Pod = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
  status: Status.prefault({}),
});
const ServerEnd = z.object({ count: z.int().min(0), at: z.iso.datetime() });

/** Longest text, in characters. */
const longest = 300;

/** See the header; parts that there are not are missing. */
export function endsOf(pod: unknown): Pick<Member, "ends" | "ending" | "disruption"> {
  const { data } = Pod.safeParse(pod);
  if (data === undefined) return {};
  const { conditions, containerStatuses } = data.status;
  const server = ServerEnd.safeParse(parseJson(data.metadata.annotations[serverEndAnnotation] ?? "")).data;
  const ends = containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, server?.count ?? 0);
  const ending = lastEnding(containerStatuses, server?.at);
  const target = conditions.find(({ type, status }) => type === "DisruptionTarget" && status === "True");
  return {
    ...(ends > 0 && { ends }),
    ...(ending !== undefined && { ending }),
    ...(target !== undefined && { disruption: shortened(`${target.reason}: ${target.message}`, longest) }),
  };
}

/** The last one. `serverAt`: when the server ended and its container did not; undefined where that never was. */
function lastEnding(
  containers: readonly z.infer<typeof Container>[],
  serverAt: string | undefined,
): string | undefined {
  const endings = containers.flatMap(({ name, lastState: { terminated } }) =>
    terminated === undefined ? [] : [{ at: timeOf(terminated.finishedAt), text: endingText(name, terminated) }],
  );
  const servers = serverAt === undefined ? [] : [{ at: timeOf(serverAt), text: serverEndText }];
  return [...endings, ...servers].sort((a, b) => b.at - a.at)[0]?.text;
}

/** Of what has no time, nothing follows: it goes last. */
const timeOf = (text: string | null | undefined): number => Date.parse(text ?? "") || 0;

function endingText(container: string, { reason, exitCode, message }: z.infer<typeof Terminated>): string {
  const said = message.trim().split("\n").at(-1)?.trim() ?? "";
  const how = reason === "" ? `exit code ${exitCode}` : `${reason}, exit code ${exitCode}`;
  return shortened(`container ${container} ended (${how})${said === "" ? "" : `: ${said}`}`, longest);
}
