// What changes between backups: whether it is kept, so that a restore goes back to any moment. A part of the spec.
import { z } from "zod";
import { archiveDefaults } from "../../contract/defaults";
import { enginesThat, titlesOf, type EngineName } from "../../contract/engines";
import { hasS3 } from "./destination";
import { isOneOf, type CheckedRule } from "./rules";

/** Engines that keep it beside backups on a volume. */
const onVolumes = enginesThat(({ keepsChanges }) => keepsChanges.includes("on the backup volume"));

/** Engines that keep it in object storage, always. */
const inStorage = enginesThat(({ keepsChanges }) => keepsChanges.includes("in object storage"));

/** Whether backups of an engine in object storage have it beside them. */
export const isSentAlong = (engine: string): boolean => inStorage.some((name) => name === engine);

/** Engines that can keep it at all. */
export const keepingChanges = enginesThat(({ keepsChanges }) => keepsChanges.length > 0);

/** See its description. */
export const PointInTime = z
  .object({
    enabled: z
      .boolean()
      .optional()
      .meta({
        description: `${titlesOf(onVolumes)} only, with backups on a volume: whether what is written between them (PostgreSQL's write-ahead log, MySQL's binary logs) is kept there as well, as it is written, by a pod that runs all the time, <name>-archive. It needs room: the volume must hold all of it since the oldest backup. Default: false; with destination.s3 changes of ${titlesOf(inStorage)} are always kept.`,
      }),
    everySeconds: z
      .int()
      .min(10)
      .max(3600)
      .optional()
      .meta({
        description: `${titlesOf(inStorage)} only, with destination.s3: how many seconds old the newest change may be that is not in the storage yet. Default: ${archiveDefaults.everySeconds}.`,
      }),
  })
  .meta({ description: "How what changes between backups is kept, so that a restore goes back to any moment." });

interface Backups {
  readonly enabled?: boolean | undefined;
  readonly pointInTime?: { readonly enabled?: boolean | undefined; readonly everySeconds?: unknown } | undefined;
  readonly destination?: { readonly s3?: unknown } | undefined;
}

const here = "has(self.destination) && has(self.destination.s3)";

/** A rule of `backup`. */
export const fitsItsPlace: CheckedRule<Backups> = {
  rule: `!has(self.pointInTime) || (${here} ? !has(self.pointInTime.enabled) || self.pointInTime.enabled : !has(self.pointInTime.everySeconds))`,
  message:
    "everySeconds is for backups in object storage, and there changes are always kept: write destination.s3, or leave everySeconds out; with destination.s3, leave enabled out",
  fieldPath: ".pointInTime",
  holds: ({ pointInTime, destination }) =>
    destination?.s3 === undefined ? pointInTime?.everySeconds === undefined : pointInTime?.enabled !== false,
};

const wish = "has(self.backup.pointInTime) && has(self.backup.pointInTime.enabled) && self.backup.pointInTime.enabled";

/** A rule of the whole spec. */
export const keepsItsChanges: CheckedRule<{ readonly engine: EngineName; readonly backup: Backups }> = {
  rule: `!(${wish}) || ${hasS3("self")} || ${isOneOf(onVolumes)}`,
  message: `is for ${titlesOf(onVolumes)}: of other engines no changes are kept beside backups on a volume`,
  fieldPath: ".backup.pointInTime",
  holds: ({ engine, backup }) =>
    backup.pointInTime?.enabled !== true || backup.destination?.s3 !== undefined || onVolumes.includes(engine),
};

/** A rule of the whole spec. */
export const keepsThemInStorage: CheckedRule<{ readonly engine: EngineName; readonly backup: Backups }> = {
  rule: `!has(self.backup.pointInTime) || !(${hasS3("self")}) || ${isOneOf(inStorage)}`,
  message: `in object storage changes are kept of ${titlesOf(inStorage)} alone: leave pointInTime out, or write destination.volume`,
  fieldPath: ".backup.pointInTime",
  holds: ({ engine, backup }) =>
    backup.pointInTime === undefined || backup.destination?.s3 === undefined || inStorage.includes(engine),
};

/** Whether changes are kept beside backups on a volume. */
export const keepsLogs = ({ backup }: { readonly backup: Backups }): boolean =>
  backup.enabled === true && backup.destination?.s3 === undefined && backup.pointInTime?.enabled === true;

/** Whether they are kept, wherever backups go. */
export const keepsChanges = (spec: { readonly engine: EngineName; readonly backup: Backups }): boolean =>
  keepsLogs(spec) ||
  (spec.backup.enabled === true && spec.backup.destination?.s3 !== undefined && isSentAlong(spec.engine));
