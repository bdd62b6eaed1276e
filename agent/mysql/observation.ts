// What a member sees before it decides: its own server, the record of the group, and what the other members say.
import { z } from "zod";
import type { SuperuserAccess } from "./configuration";
import type { RecordSnapshot } from "./record";

/** What a server says about its group. */
export const Membership = z.object({
  state: z.enum(["OFFLINE", "RECOVERING", "ONLINE", "ERROR"]),
  role: z.enum(["PRIMARY", "SECONDARY"]).optional(),
  /** The part of the view identifier that stays the same as long as the group runs. */
  view: z.string().optional(),
  /** The part that grows with every member that joins or leaves. */
  viewNumber: z.number().optional(),
  /** Whether more than half of the members in its view are within reach. */
  quorum: z.boolean(),
  /** The members in its view. */
  members: z.array(z.object({ name: z.string(), id: z.string(), state: z.string(), role: z.string() })),
});
export type Membership = z.infer<typeof Membership>;

/** A server as its own agent sees it; agents tell each other this. */
export const ServerView = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("down"),
    /** Whether it accepts connections or statements without answering. */
    hangs: z.boolean().optional(),
    /** Whether its data is that of an empty server. */
    fresh: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal("up"),
    /** Whether its data is that of an empty server: it never was in a group. */
    fresh: z.boolean(),
    membership: Membership,
    /** Transactions in its files: executed, and received but not executed yet. */
    transactions: z.string(),
    /** Whether a session waits for its commit. */
    committing: z.boolean().optional(),
    /** Whether only the members themselves may connect. */
    offline: z.boolean(),
    /** Whether its binary logs lack some of its transactions: others get these by a copy of all data only. */
    purged: z.boolean().optional(),
    /** The UUID of the last group that it was configured for. */
    group: z.string().optional(),
  }),
]);
export type ServerView = z.infer<typeof ServerView>;

/** What an agent reports to the others. */
export const MemberReport = z.object({
  name: z.string(),
  server: ServerView,
  /** Whether its pod is about to end. */
  stopping: z.boolean(),
  /** How many of its attempts to enter a group have failed since it was in one. Missing: none, or its image is an earlier one. */
  failures: z.number().optional(),
  /** The run of the group that the record names, as it read it. Missing: it cannot read it, or none is named. */
  view: z.string().optional(),
});
export type MemberReport = z.infer<typeof MemberReport>;

/** What the member of this name answered; undefined where another one did, which has its address by now. */
export function reportOf(name: string, answer: unknown): MemberReport | undefined {
  const report = MemberReport.safeParse(answer);
  return report.success && report.data.name === name ? report.data : undefined;
}

/** What hangs, and for how many milliseconds. */
export interface Standing {
  /**
   * `commits`: of a server that is alone in its group while more members are wanted; none completed, and one waited at each look.
   * `answers`: of an empty server, which accepts connections and does not answer.
   */
  readonly what: "commits" | "answers";
  readonly ms: number;
}

/** All that a decision is based on. */
export interface Observation {
  /** The name of this member's pod. */
  readonly self: string;
  /** How many members the database is to have. */
  readonly wanted: number;
  /** From where the superuser may connect. Missing: as it is. */
  readonly superuserAccess?: SuperuserAccess | undefined;
  /** Missing while the Kubernetes API cannot be reached. */
  readonly snapshot: RecordSnapshot | undefined;
  readonly server: ServerView;
  /** Whether its data are a backup's, and no group that has them was recorded yet. Missing: they are not. */
  readonly restored?: boolean;
  /** What of the server hangs; missing where nothing does. */
  readonly standing?: Standing | undefined;
  /** The members that answered. */
  readonly peers: readonly MemberReport[];
  readonly stopping: boolean;
  /** How many attempts to enter a group have failed since it was in one. Missing: none. */
  readonly failures?: number;
}

/** The ordinal in the name of a pod. */
export const ordinalOf = (pod: string): number => Number(/-(\d+)$/.exec(pod)?.[1] ?? Number.NaN);
