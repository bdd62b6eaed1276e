// From where the data of a new Database come: a part of the spec.
import { z } from "zod";
import { enginesThat, titlesOf, type EngineName } from "../../contract/engines";
import { maxNameLength, namePattern } from "../../contract/limits";
import { nameOf, patterned } from "./fields";
import { isOneOf, rule, type CelRule, type CheckedRule } from "./rules";

const From = z
  .object({
    name: patterned(
      namePattern,
      maxNameLength,
      "must be the name of a Database, which may be gone: a lower-case letter, then a-z, 0-9 and -, for example my-postgres",
    ).meta({
      description: "Name of the Database, in the same namespace. It may be gone, as long as its backups are there.",
    }),
  })
  .meta({ description: "The newest backup of a Database." });

const Backup = z
  .object({
    name: nameOf("a DatabaseBackup", "before-migration").meta({
      description: "Name of the DatabaseBackup, in the same namespace.",
    }),
  })
  .meta({ description: "One backup, by its object." });

const restorable = enginesThat(({ isRestorable }) => isRestorable);

/** See its description. */
export const Restore = rule(z.object({ from: From.optional(), backup: Backup.optional() }), {
  rule: "has(self.from) != has(self.backup)",
  message: "must have one of from (the newest backup of a Database) and backup (a certain one)",
  holds: ({ from, backup }) => (from === undefined) !== (backup === undefined),
}).meta({
  description: `${titlesOf(restorable)} only: the backup that a new Database begins with. It is copied once, before there are members; what it was taken of stays as it is. The passwords are new ones. It cannot be added or changed later; it can be removed, which changes nothing once the data are there.`,
});
export type Restore = z.infer<typeof Restore>;

/** What the rule about it looks at. */
interface Whole {
  readonly engine: EngineName;
  readonly restore?: Restore | undefined;
}

/** A rule of the whole spec. */
export const isRestorable: CheckedRule<Whole> = {
  rule: `!has(self.restore) || ${isOneOf(restorable)}`,
  message: `is for ${titlesOf(restorable)}: restore backups of other engines by hand, into a Database that runs (docs/databases/restore.md)`,
  fieldPath: ".restore",
  holds: ({ engine, restore }) => restore === undefined || restorable.includes(engine),
};

/** A rule over the old and the new spec. */
export const restoreStays: CelRule = {
  rule: "!has(self.restore) || (has(oldSelf.restore) && self.restore == oldSelf.restore)",
  message: "cannot be added or changed: create another Database with it",
  fieldPath: ".restore",
};
