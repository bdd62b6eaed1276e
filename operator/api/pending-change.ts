// What the status says of a change that waits.
import { z } from "zod";
import { effects } from "../../contract/effects";
import { dateTime, OPEN_ENUM } from "./status-fields";

/** What a change can wait for. */
export const Awaited = z.enum(["Approval", "Window"]);
export type Awaited = z.infer<typeof Awaited>;

/** What became of the approval that the Database carries. */
export const ApprovalState = z.enum(["Accepted", "Unknown", "Stale", "Expired", "Author", "NoRight"]);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** How much of it is shown. */
export const pendingLimits = {
  changes: 20,
  value: 256,
  path: 256,
  consequences: 20,
  message: 512,
  members: 10,
  authors: 20,
  user: 512,
} as const;

const { changes, value, path, consequences, message, members, authors, user } = pendingLimits;

const anEffect = z
  .enum(effects)
  .meta({ [OPEN_ENUM]: true, description: "What it does to those who use the database." });

const ChangedField = z.object({
  path: z.string().max(path).meta({
    description:
      "A field of the spec, such as spec.replicas; image, or config of a shared ConfigMap, where that has moved; operator for another release of it; others for how many more there are.",
  }),
  before: z.string().max(value).optional().meta({ description: "What runs; missing where it is new." }),
  after: z.string().max(value).optional().meta({ description: "What is asked for; missing where it is removed." }),
});

const ToldConsequence = z.object({
  effect: anEffect,
  members: z.array(z.string().max(63)).max(members).meta({
    "x-kubernetes-list-type": "atomic",
    description: "To which members it happens, in this order; none where it happens to none, or which is not known.",
  }),
  message: z.string().max(message).meta({ description: "One sentence." }),
});

const SeenApproval = z
  .object({
    state: ApprovalState.meta({
      [OPEN_ENUM]: true,
      description:
        "Accepted; Unknown: no plan has this digest; Stale: the plan has moved since; Expired: it came too late; Author: who asked for the change may not approve it; NoRight: it is not known who approved, or approvals are not set up.",
    }),
    by: z.string().max(user).optional().meta({ description: "Who approved, by the name that the API server knows." }),
    message: z.string().max(message).meta({ description: "What it means, and what to do." }),
  })
  .meta({ description: "The approval that the Database carries; missing where it carries none." });

/** See its description. */
export const PendingChange = z
  .object({
    digest: z.string().max(64).meta({
      description:
        "Names the plan: what an approval must say. Another one where anything has moved that the plan was made of.",
    }),
    effect: anEffect.meta({ description: "The weightiest of what it does." }),
    since: dateTime("Since when this is asked for."),
    generation: z.int().meta({ description: "The metadata.generation that it was planned for." }),
    requestedBy: z
      .array(z.string().max(user))
      .max(authors)
      .optional()
      .meta({
        "x-kubernetes-list-type": "atomic",
        description: `Who asked for it, by the names that the API server knows: of each edit that waits, the latest last; the last ${authors}. Empty where no edit did, but the platform or a shared ConfigMap; missing where it is not known.`,
      }),
    waitsFor: z
      .array(Awaited.meta({ [OPEN_ENUM]: true }))
      .max(2)
      .meta({
        "x-kubernetes-list-type": "set",
        description: "What is missing: an approval, an open window, or both.",
      }),
    windowOpensAt: dateTime(
      "When a window opens that is for all that it does; missing where it waits for none, or none is known.",
    ).optional(),
    approveBefore: dateTime("Until when this plan can be approved; then it gets another digest.").optional(),
    changes: z
      .array(ChangedField)
      .max(changes)
      .meta({
        "x-kubernetes-list-type": "atomic",
        description: `What differs from what runs, another release and then the spec first; at most ${changes}.`,
      }),
    consequences: z
      .array(ToldConsequence)
      .max(consequences)
      .meta({
        "x-kubernetes-list-type": "atomic",
        description: `What it means, the weightiest first; the first ${consequences}.`,
      }),
    approval: SeenApproval.optional(),
  })
  .meta({ description: "The change that waits; missing where none does." });
export type PendingChange = z.infer<typeof PendingChange>;
