// How commits wait for other members: a part of the spec.
import { z } from "zod";
import { synchronousDefaults } from "../../contract/defaults";
import { enginesThat, titlesOf, type EngineName } from "../../contract/engines";
import { maxMembers } from "../../contract/limits";
import { isOneOf, rule, type CheckedRule } from "./rules";

const settable = enginesThat(({ commits }) => commits === "as set");
const ofMajorities = `${titlesOf(enginesThat(({ commits }) => commits === "by majority"))} always wait for a majority of the members`;

const Synchronous = z
  .object({
    members: z
      .int()
      .min(1)
      .max(maxMembers - 1)
      .default(synchronousDefaults.members)
      .meta({
        description:
          "How many other members must have a commit before it is acknowledged; less than replicas. So many members may be lost at the same moment, the primary among them, without loss of an acknowledged row. Fewer where fewer are available: see strict.",
      }),
    strict: z.boolean().default(synchronousDefaults.strict).meta({
      description:
        "What happens while no other member is available. false: commits go on with the primary alone, and no other member takes over until it has caught up. true: commits wait until another member is back, so that no acknowledged row is ever on one volume only.",
    }),
  })
  .meta({
    description: `${titlesOf(settable)} only: how synchronousCommit waits. It needs synchronousCommit: true. Changing it restarts nothing.`,
  });

/** See its description. */
export const HighAvailability = rule(
  z.object({
    synchronousCommit: z
      .boolean()
      .default(false)
      .meta({
        description: `${titlesOf(settable)}: true makes a commit wait until another member has it, as long as there is one, so that a failover loses no acknowledged row; writes are slower. No effect with one replica. ${ofMajorities}. See synchronous for more members, and for what happens when there is none.`,
      }),
    synchronous: Synchronous.optional(),
  }),
  {
    rule: "!has(self.synchronous) || self.synchronousCommit",
    message: "says how commits wait, which they do only with synchronousCommit: true; write that, or leave this out",
    fieldPath: ".synchronous",
    holds: ({ synchronous, synchronousCommit }) => synchronous === undefined || synchronousCommit,
  },
).meta({ description: "What a failover may cost. From two replicas on, a failed primary is replaced by itself." });

/** What the rules about it look at. */
interface Whole {
  readonly engine: EngineName;
  readonly replicas: number;
  readonly highAvailability: z.output<typeof HighAvailability>;
}

const missing = "!has(self.highAvailability.synchronous)";

/** A rule of the whole spec. */
export const waitsInPostgresql: CheckedRule<Whole> = {
  rule: `${missing} || ${isOneOf(settable)}`,
  message: `is ${titlesOf(settable)}'s: ${ofMajorities}; leave it out`,
  fieldPath: ".highAvailability.synchronous",
  holds: ({ engine, highAvailability }) => highAvailability.synchronous === undefined || settable.includes(engine),
};

/** A rule of the whole spec. */
export const waitsForOthers: CheckedRule<Whole> = {
  rule: `${missing} || self.highAvailability.synchronous.members < self.replicas`,
  message: "must be less than replicas, as the primary does not count: write a smaller number, or more replicas",
  fieldPath: ".highAvailability.synchronous.members",
  holds: ({ replicas, highAvailability: { synchronous } }) =>
    synchronous === undefined || synchronous.members < replicas,
};
