// What all members agree on about their group: kept in the ConfigMap `<name>-group`, changed by compare-and-swap only.
import { z } from "zod";

/** The record of a group. A database that was never started has the empty one. */
export const GroupRecord = z.object({
  /** The UUID under which the group commits transactions: the same as long as its data lives, but for what a person gave up. Missing: never bootstrapped. */
  group: z.string().optional(),
  /** Pods that joined and have not left for good. */
  members: z.array(z.string()).default([]),
  /** The pod that was primary last. */
  primary: z.string().optional(),
  /** Which run of the group is the right one: the part of its view identifiers that stays the same. */
  view: z.string().optional(),
  /** How far that run had come when the primary was recorded. */
  viewNumber: z.number().optional(),
  /** The pod that is bootstrapping the group. */
  bootstrapping: z.string().optional(),
  /**
   * Set while no group runs, where the last one ended cleanly: all transactions that it had. A member with exactly these lacks nothing,
   * whichever of the others are available.
   */
  ended: z.object({ transactions: z.string() }).optional(),
});
export type GroupRecord = z.infer<typeof GroupRecord>;

/** The record of a database that was never started. */
export const emptyRecord: GroupRecord = { members: [] };

/** A record as it was read, and what a person decided about it. */
export interface RecordSnapshot {
  readonly record: GroupRecord;
  /** Of the object: a change is accepted only as long as it has this version. */
  readonly version: string;
  /** The pod that a person chose to lead with its data, whatever is missing. */
  readonly decision: string | undefined;
  /** The scheduled events that run on the primary, quoted. Missing: never noted. */
  readonly events?: readonly string[];
}
