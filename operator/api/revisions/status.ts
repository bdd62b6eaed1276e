// A DatabaseRevision's status: what came of the change, and what happened to the members for as long as no other one followed.
import { z } from "zod";
import { dateTime, OPEN_ENUM } from "../status-fields";
import { revisionLimits as limits } from "./limits";

/** How a change fares. All but Progressing and Stopped are final. */
export const RevisionResult = z.enum(["Progressing", "Stopped", "Complete", "Superseded"]);
export type RevisionResult = z.infer<typeof RevisionResult>;

/** What can happen to a member. */
export const IncidentKind = z.enum(["Restarted", "Added", "Removed", "Promoted", "Interrupted"]);
export type IncidentKind = z.infer<typeof IncidentKind>;

const memberName = (description: string): z.ZodString => z.string().max(63).meta({ description });

const Incident = z.object({
  at: dateTime("When the operator saw it."),
  kind: IncidentKind.meta({
    [OPEN_ENUM]: true,
    description:
      "Restarted, Added or Removed (a member), Promoted (it leads from now on), or Interrupted (no member took writes).",
  }),
  member: memberName("Which member.").optional(),
  seconds: z
    .int()
    .optional()
    .meta({ description: "Of an interruption: how long the operator saw no primary that was ready." }),
  why: z.array(z.string().max(limits.message)).max(limits.reasons).meta({
    "x-kubernetes-list-type": "atomic",
    description: "From what led to it to what led to that; none where it is not known.",
  }),
});
export type Incident = z.infer<typeof Incident>;

const SeenMember = z.object({
  name: memberName("Its name."),
  uid: z.string().max(63).meta({ description: "UID of its pod." }),
  template: z
    .string()
    .max(63)
    .optional()
    .meta({ description: "Revision of the StatefulSet's template that the pod was made from." }),
  ends: z.int().optional().meta({ description: "How often a container of the pod has ended and been started again." }),
  going: z
    .string()
    .max(limits.message)
    .optional()
    .meta({ description: "Why Kubernetes takes the pod away, while it does." }),
});
export type SeenMember = z.infer<typeof SeenMember>;

/** See the header. Every part may be missing. */
export const RevisionStatus = z
  .object({
    result: RevisionResult.optional().meta({
      [OPEN_ENUM]: true,
      description:
        "Progressing; Stopped: a person must act before it continues; Complete: every member has it and is ready; Superseded: another revision came before it was complete.",
    }),
    message: z.string().max(limits.summary).optional().meta({ description: "Why it stopped." }),
    completedAt: dateTime("When it was complete, or superseded.").optional(),
    seconds: z.int().optional().meta({ description: "Seconds from the begin of its run until it was complete." }),
    restarted: z.int().optional().meta({ description: "How many restarts of members belong to it." }),
    interruptionSeconds: z.int().optional().meta({
      description:
        "Seconds without a primary until it was complete, as the operator saw its members: to the second or so.",
    }),
    incidents: z
      .array(Incident)
      .max(limits.incidents)
      .optional()
      .meta({
        "x-kubernetes-list-type": "atomic",
        description: `What happened to members while this was the newest revision, the latest last; the latest ${limits.incidents}.`,
      }),
    members: z.array(SeenMember).max(limits.members).optional().meta({
      "x-kubernetes-list-type": "atomic",
      description: "The members as they were seen last, by which what happens next is told.",
    }),
    primary: memberName("The member that led last.").optional(),
    interruptedSince: dateTime("Since when no member takes writes; missing while one does.").optional(),
  })
  .meta({ description: "What came of it. Only the operator writes it." });
export type RevisionStatus = z.infer<typeof RevisionStatus>;
