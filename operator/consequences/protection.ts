// What protects the data, where less of it is left: backups, their place, and other members that have what is committed. Pure.
import { backupCronJobName } from "../../components/naming";
import { factsOf } from "../../contract/engines";
import { isSentAlong } from "../api/point-in-time";
import type { DatabaseSpec } from "../api/spec";
import type { Facts } from "./circumstances";
import { exposure, type Consequence } from "./consequence";

/** Where backups go: in one place they are counted together. */
function placeOf({ backup }: DatabaseSpec): string {
  const { s3 } = backup.destination ?? {};
  return s3 === undefined ? "the volume" : [s3.endpoint, s3.bucket, s3.prefix ?? ""].join(" ");
}

/** Less backups are kept. In another place those of the former one are not counted, and stay. */
export function retention({ specs: { before, after } }: Facts): Consequence[] {
  if (before === undefined || !after.backup.enabled || placeOf(before) !== placeOf(after)) return [];
  const { retention: most } = after.backup;
  if (most >= before.backup.retention) return [];
  const message = `all but the newest ${most === 1 ? "backup" : `${most} backups`}, and those that a person keeps, are removed for good with the next one`;
  return [{ effect: "DataLoss", members: [], message }];
}

export function noMoreBackups({ find, name, specs: { before, after } }: Facts): Consequence[] {
  if (find("CronJob", backupCronJobName(name))?.operation !== "delete") return [];
  const isStored = before?.backup.destination?.s3 !== undefined;
  return [
    exposure(
      isStored
        ? `no more backups are taken${isSentAlong(after.engine) ? ", and no more changes archived" : ""}; what is in the bucket stays there`
        : "no more backups are taken; existing ones stay on their volume",
    ),
  ];
}

export function backupPlace({ specs: { before, after } }: Facts): Consequence[] {
  const areTaken = before?.backup.enabled === true && after.backup.enabled;
  if (!areTaken || placeOf(before) === placeOf(after)) return [];
  return [
    exposure(
      "there is no backup in the new place until one is taken; those in the former one stay, and count no longer",
    ),
  ];
}

/** Commits that do not wait are told by themselves: this is what it may cost. */
export function unconfirmedCommits({ specs: { before, after }, members }: Facts): Consequence[] {
  const isAsSet = factsOf(after.engine).commits === "as set" && members > 1;
  const waited = before?.highAvailability.synchronousCommit === true;
  if (!isAsSet || !waited || after.highAvailability.synchronousCommit) return [];
  return [exposure("from now on a failover may lose what was committed last: no other member need have it")];
}
