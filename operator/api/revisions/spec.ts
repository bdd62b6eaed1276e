// A DatabaseRevision's spec: a change of a Database as it was asked for and carried out. It is written once.
import { z } from "zod";
import { effects } from "../../../contract/effects";
import { dateTime, OPEN_ENUM } from "../status-fields";
import { revisionLimits as limits } from "./limits";

/** What asked for a change. */
export const Origin = z.enum(["Spec", "Platform", "Repair"]);
export type Origin = z.infer<typeof Origin>;

const text = (description: string, max: number): z.ZodString => z.string().max(max).meta({ description });
const user = (description: string): z.ZodOptional<z.ZodString> => text(description, limits.user).optional();

const ChangedField = z.object({
  path: text(
    "A field of the spec, such as spec.replicas; image, config of a shared ConfigMap, or operator for another release of it.",
    limits.path,
  ),
  before: text("What ran before; missing where it was new.", limits.value).optional(),
  after: text("What was asked for; missing where it was removed.", limits.value).optional(),
});
export type ChangedField = z.infer<typeof ChangedField>;

const Foretold = z.object({
  effect: z.enum(effects).meta({ [OPEN_ENUM]: true, description: "What it was to do to those who use the database." }),
  members: z.array(z.string().max(63)).max(limits.members).meta({
    "x-kubernetes-list-type": "atomic",
    description: "To which members, in this order.",
  }),
  message: text("One sentence.", limits.message),
});

/** See its description. */
export const Approval = z
  .object({
    plan: text("The digest of the plan by which it was carried out.", 64),
    by: user("Who approved it, by the name that the API server knows; missing where it needed none."),
    effect: z.enum(effects).meta({ [OPEN_ENUM]: true, description: "The weightiest of what it was to do." }),
    consequences: z
      .array(Foretold)
      .max(limits.consequences)
      .meta({ "x-kubernetes-list-type": "atomic", description: "What was foretold, the weightiest first." }),
  })
  .meta({
    description: "How it passed the change policy; missing where none was in force, as nothing is foretold then.",
  });

/** See the header. Nothing of it is secret: who may read Databases may read it. */
export const RevisionSpec = z
  .object({
    database: text("Name of the Database, in the same namespace.", 63),
    revision: z.int().meta({ description: "Counts the changes of this Database, from 1." }),
    at: dateTime("When its run had succeeded."),
    generation: z
      .int()
      .optional()
      .meta({ description: "The metadata.generation of the Database that it carried out." }),
    origin: Origin.meta({
      [OPEN_ENUM]: true,
      description:
        "What asked for it: Spec (a person, or a tool of theirs), Platform (the catalogue, a shared ConfigMap, a release of the operator), or Repair (another client had changed what the Database consists of).",
    }),
    author: user("Who changed the spec, by the name that the API server knows; missing where that is not known."),
    manager: text(
      "The field manager that wrote the spec last, such as argocd-controller, as far as managed fields say: who only removes fields is not in them. Of a repair those that had changed what was put back.",
      limits.user,
    ).optional(),
    approval: Approval.optional(),
    summary: text("What the run did, such as: 1 updated, 18 unchanged.", limits.summary),
    runSeconds: z.int().meta({ description: "Seconds that the run took; members restart after it." }),
    restarts: text("What of the members' pods it changed, so that they are restarted.", limits.summary).optional(),
    changes: z
      .array(ChangedField)
      .max(limits.changes)
      .meta({
        "x-kubernetes-list-type": "atomic",
        description: `What was other than before; the first ${limits.changes}. None of a repair.`,
      }),
    putBack: z
      .array(z.string().max(limits.summary))
      .max(limits.putBack)
      .optional()
      .meta({ "x-kubernetes-list-type": "atomic", description: "What of the children was restored." }),
    image: text("The image of the members.", limits.summary).optional(),
    release: text("The release of the operator by which the members' pods were declared.", limits.release).optional(),
    template: z.object({}).optional().meta({
      "x-kubernetes-preserve-unknown-fields": true,
      description:
        "The spec of the Database as it was carried out, with its defaults: what a rollback goes back to. Secrets are named in it, not held.",
    }),
  })
  .meta({ description: "A change of a Database, as it was asked for and carried out. The operator writes it once." });
export type RevisionSpec = Omit<z.infer<typeof RevisionSpec>, "template"> & {
  readonly template?: Readonly<Record<string, unknown>> | undefined;
};
