// What Patroni answers about this member, about all of them, and about what they are to be like.
import { z } from "zod";

const PendingRestart = z.record(
  z.string(),
  z.looseObject({ old_value: z.unknown().optional(), new_value: z.unknown().optional() }),
);

/** This member, as its own Patroni sees it. */
export const OwnState = z.looseObject({
  state: z.string(),
  role: z.string(),
  replication_state: z.string().nullish(),
  xlog: z.looseObject({ received_location: z.number().nullish(), replayed_location: z.number().nullish() }).nullish(),
  /** What only a restart of the server takes over. */
  pending_restart_reason: PendingRestart.nullish(),
});
export type OwnState = z.infer<typeof OwnState>;

/** Whether its loop turns. Whatever else is wrong with an answer, this much of it counts. */
export const Turning = z.looseObject({
  /** Another one after each turn. */
  dcs_last_seen: z.unknown().optional(),
  pause: z.unknown().optional(),
  failsafe_mode_is_active: z.unknown().optional(),
});
export type Turning = z.infer<typeof Turning>;

/** A member, as its Patroni noted some seconds ago. */
export const ClusterMember = z.looseObject({
  name: z.string(),
  role: z.string(),
  state: z.string(),
  api_url: z.string().nullish(),
  host: z.string().nullish(),
  port: z.number().nullish(),
  timeline: z.number().nullish(),
  /** In bytes; a word where it cannot be told. */
  lag: z.union([z.number(), z.string()]).nullish(),
  pending_restart_reason: PendingRestart.nullish(),
});
export type ClusterMember = z.infer<typeof ClusterMember>;

/** All members. */
export const Cluster = z.looseObject({ members: z.array(ClusterMember) });
export type Cluster = z.infer<typeof Cluster>;

/** The configuration that the members share. */
export const Configuration = z.looseObject({
  ttl: z.number(),
  /** Whether commits wait for replicas, or how. */
  synchronous_mode: z.unknown().optional(),
  /** Slots that it makes beside those of its members, by their names. */
  slots: z.record(z.string(), z.unknown()).nullish(),
});
export type Configuration = z.infer<typeof Configuration>;

/** The member that leads; undefined where there is none. */
export const leaderIn = ({ members }: Cluster): ClusterMember | undefined =>
  members.find(({ role }) => role === "leader");
