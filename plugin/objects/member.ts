// A member as its pod shows it, to those who may read pods.
import { z } from "zod";
import { serverEndAnnotation } from "../../contract/server-end";
import { volumeAnnotation } from "../../contract/volume-note";
import { memberStateAnnotation } from "../../components/member";
import { labelKeys } from "../../components/naming";

const Ended = z.object({
  reason: z.string().default(""),
  exitCode: z.number().optional(),
  message: z.string().default(""),
  finishedAt: z.string().optional(),
});
const State = z.object({
  running: z.object({ startedAt: z.string().optional() }).optional(),
  waiting: z.object({ reason: z.string().default(""), message: z.string().default("") }).optional(),
  terminated: Ended.optional(),
});
const Container = z.object({
  name: z.string(),
  restartCount: z.number().default(0),
  state: State.default({}),
  lastState: State.default({}),
});
const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    creationTimestamp: z.string().optional(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({ nodeName: z.string().optional() }).prefault({}),
  status: z
    .object({
      reason: z.string().default(""),
      message: z.string().default(""),
      conditions: z
        .array(
          z.object({
            ...{ type: z.string(), status: z.string() },
            ...{ reason: z.string().default(""), message: z.string().default("") },
          }),
        )
        .default([]),
      containerStatuses: z.array(Container).default([]),
    })
    .prefault({}),
});
type Pod = z.infer<typeof Pod>;

/** How a container ended. */
export type Ending = z.infer<typeof Ended> & { readonly container: string };

/** How full a data volume is, in bytes. */
export interface Volume {
  readonly used: number;
  readonly size: number;
}

export interface SeenMember {
  readonly name: string;
  readonly role: string | undefined;
  readonly node: string | undefined;
  readonly ready: boolean;
  readonly terminating: boolean;
  readonly createdAt: string | undefined;
  /** When the container that started last did so, or its server alone; undefined while none runs. */
  readonly startedAt: string | undefined;
  /** When its server ended last, without being told to and without its container; undefined where that never was. */
  readonly serverEndedAt: string | undefined;
  readonly restarts: number;
  /** The last ending of a container of this pod. */
  readonly ending: Ending | undefined;
  /** Why it does not run, or is not ready. */
  readonly problem: string | undefined;
  readonly volume: Volume | undefined;
  /** Of a replica: whether it receives what the primary writes; undefined where it does not say. */
  readonly streaming: boolean | undefined;
  /** The position in the log that it said last, in bytes. PostgreSQL only. */
  readonly position: number | undefined;
}

/** Undefined for what is no pod. */
export function memberIn(object: unknown): SeenMember | undefined {
  const pod = Pod.safeParse(object).data;
  if (pod === undefined) return undefined;
  const { metadata, spec, status } = pod;
  const said = saidBy(pod);
  const serverEndedAt = serverEndOf(pod);
  const ready = status.conditions.some((one) => one.type === "Ready" && one.status === "True");
  return {
    name: metadata.name,
    role: metadata.labels[labelKeys.role],
    node: spec.nodeName,
    ready,
    terminating: metadata.deletionTimestamp !== undefined,
    createdAt: metadata.creationTimestamp,
    startedAt: startOf(pod, serverEndedAt),
    serverEndedAt,
    restarts: Math.max(0, ...status.containerStatuses.map(({ restartCount }) => restartCount)),
    ending: endingOf(pod),
    problem: ready ? undefined : problemOf(pod),
    volume: volumeOf(pod),
    streaming: said?.replication_state === undefined ? undefined : said.replication_state === "streaming",
    position: said?.xlog_location,
  };
}

const Said = z.object({ replication_state: z.string().optional(), xlog_location: z.number().optional() });

const saidBy = ({ metadata }: Pod): z.infer<typeof Said> | undefined =>
  Said.safeParse(jsonIn(metadata.annotations[memberStateAnnotation])).data;

const Note = z.object({ used: z.number(), size: z.number().positive() });

const volumeOf = ({ metadata }: Pod): Volume | undefined =>
  Note.safeParse(jsonIn(metadata.annotations[volumeAnnotation])).data;

function jsonIn(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ServerEnd = z.object({ at: z.iso.datetime() });

const serverEndOf = ({ metadata }: Pod): string | undefined =>
  ServerEnd.safeParse(jsonIn(metadata.annotations[serverEndAnnotation])).data?.at;

/** A server that ended alone was started again at once. */
function startOf({ status }: Pod, serverEndedAt: string | undefined): string | undefined {
  const starts = status.containerStatuses.flatMap(({ state }) => state.running?.startedAt ?? []);
  if (starts.length === 0) return undefined;
  return [...starts, ...(serverEndedAt === undefined ? [] : [serverEndedAt])]
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
}

/** What ended a container of the pod last, in the present state or in the one before. */
function endingOf({ status }: Pod): Ending | undefined {
  const endings = status.containerStatuses.flatMap(({ name, state, lastState }) =>
    [lastState.terminated, state.terminated].flatMap((ended) => (ended ? [{ ...ended, container: name }] : [])),
  );
  return endings.sort((a, b) => ((a.finishedAt ?? "") < (b.finishedAt ?? "") ? -1 : 1)).at(-1);
}

function problemOf({ metadata, status }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return "is ending";
  if (status.reason !== "") return `${status.reason}: ${status.message}`;
  const unplaced = status.conditions.find((one) => one.type === "PodScheduled" && one.status === "False");
  if (unplaced !== undefined) return `${unplaced.reason}: ${unplaced.message}`;
  for (const { name, state } of status.containerStatuses) {
    if (state.waiting !== undefined) return `container ${name}: ${state.waiting.reason}`;
    if (state.terminated !== undefined) return `container ${name} ended: ${endingText(state.terminated)}`;
  }
  return status.containerStatuses.length === 0 ? "has not begun" : "runs, and is not ready yet";
}

/** Such as `OOMKilled, exit code 137`. */
export function endingText({ reason, exitCode }: Pick<Ending, "reason" | "exitCode">): string {
  const code = exitCode === undefined ? "" : `exit code ${exitCode}`;
  return [reason, code].filter((text) => text !== "").join(", ");
}

/** Names, by the number at their end. */
export const inOrder = (names: readonly string[]): readonly string[] =>
  [...names].sort((a, b) => ordinalOf(a) - ordinalOf(b));

const ordinalOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
