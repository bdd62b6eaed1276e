// Restore drills, by which it is known that backups can be restored: a part of the spec.
import { z } from "zod";
import { verifyDefaults } from "../../contract/defaults";
import { enginesThat, titlesOf, type EngineName } from "../../contract/engines";
import { queryLimits } from "../../contract/verification-report";
import { patterned } from "./fields";
import { isOneOf, rule, type CheckedRule } from "./rules";
import { schedule } from "./schedule";

const asked = enginesThat(({ drillsAsk }) => drillsAsk === "SQL");
const silent = enginesThat(({ drillsAsk }) => drillsAsk === "nothing");

const oneText = "must be text, without control characters but line breaks and tabs";

const Query = z
  .object({
    name: patterned(
      /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/,
      queryLimits.name,
      `must be at most ${queryLimits.name} lower-case letters, digits and -, for example orders-are-there`,
    ).meta({ description: "Its name in status and messages." }),
    sql: patterned(/^[\P{Cc}\n\t]+$/u, queryLimits.sql, oneText).meta({
      description:
        "One SELECT, VALUES or WITH, in the database app. It is asked by a role that reads all data and writes none; the search path is that of any new role, so name the schema where it is not public.",
    }),
    expect: patterned(/^[\P{Cc}\n\t]*$/u, queryLimits.expect, oneText)
      .optional()
      .meta({
        description:
          "What the first column of the first row must be, as text. Whether it is so is told in the status; the value is not. Default: any row will do, but there must be one.",
      }),
  })
  .meta({ description: "A query, by whose answer a restored database is told from an empty or an old one." });

const Queries = rule(z.array(Query).max(queryLimits.most), {
  rule: "self.all(one, self.exists_one(other, other.name == one.name))",
  message: "must have a name of its own for each query",
  holds: (queries) => new Set(queries.map(({ name }) => name)).size === queries.length,
}).meta({
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  description: `${titlesOf(asked)} only: what is asked of the restored database, at most ${queryLimits.most} queries. A drill in which one does not hold has failed.`,
});

/** See its description. */
export const Verify = z
  .object({
    enabled: z.boolean().optional().meta({
      description:
        "Whether drills take place. Default: true, but false where the StorageClass of the data volumes has reclaimPolicy Retain: each drill would leave a volume behind.",
    }),
    schedule: schedule.optional().meta({
      description:
        "When: five cron fields (minute hour day month weekday), in UTC. Default: once a week, at a time that follows from namespace and name, so that Databases do not have theirs at once.",
    }),
    timeoutMinutes: z
      .int()
      .min(1)
      .max(480)
      .optional()
      .meta({ description: `How long one may take, in minutes. Default: ${verifyDefaults.timeoutMinutes}.` }),
    queries: Queries.optional(),
  })
  .meta({
    description:
      "Restore drills. A pod restores the newest backup, with all changes behind it that are kept, onto a volume of its own, of the size of a data volume, which goes with it; it reads everything and asks the queries. Nothing is restarted, and members take no part.",
  });

interface Backups {
  readonly enabled: boolean;
  readonly verify?:
    { readonly enabled?: boolean | undefined; readonly queries?: readonly unknown[] | undefined } | undefined;
}

/** A rule of `backup`. */
export const hasWhatToVerify: CheckedRule<Backups> = {
  rule: "!has(self.verify) || !has(self.verify.enabled) || !self.verify.enabled || self.enabled",
  message: "verify.enabled restores backups and so needs enabled: true; switch backups on, or leave it out",
  fieldPath: ".verify",
  holds: ({ enabled, verify }) => verify?.enabled !== true || enabled,
};

const isOff = "has(self.backup.verify.enabled) && !self.backup.verify.enabled";
const hasQueries = "has(self.backup.verify) && has(self.backup.verify.queries) && size(self.backup.verify.queries) > 0";

/** A rule of the whole spec. Those of drills that are switched off are asked of nothing. */
export const asksWhatItUnderstands: CheckedRule<{ readonly engine: EngineName; readonly backup: Backups }> = {
  rule: `!(${hasQueries}) || ${isOff} || ${isOneOf(asked)}`,
  message: `queries of restore drills are SQL, for ${titlesOf(asked)}: leave them out; drills of ${titlesOf(silent)} compare what was loaded with what is in the backup`,
  fieldPath: ".backup.verify.queries",
  holds: ({ engine, backup: { verify } }) =>
    (verify?.queries ?? []).length === 0 || verify?.enabled === false || asked.includes(engine),
};

/** Whether a Database has drills. */
export const hasDrills = ({ backup: { enabled, verify } }: { readonly backup: Backups }): boolean =>
  enabled && verify?.enabled !== false;
