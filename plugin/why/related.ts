// Which events are about a Database or what it consists of. Pure.
import {
  backupCronJobName,
  dataClaimName,
  importJobName,
  initJobName,
  memberNames,
  restoreJobName,
  statefulSetName,
  upgradeJobName,
  verifyCronJobName,
} from "../../components/naming";
import { maxMembers } from "../../contract/limits";
import { backupResource, databaseResource } from "../../contract/resources";
import type { SeenEvent } from "../objects/event";

/** Whether an event is about the Database `name`, or something of it; `backups` are names of its DatabaseBackups. */
export function isAbout(name: string, backups: ReadonlySet<string>): (event: SeenEvent) => boolean {
  const exact = new Map<string, ReadonlySet<string>>([
    [databaseResource.kind, new Set([name])],
    [backupResource.kind, backups],
    ["Pod", new Set(memberNames(name))],
    ["StatefulSet", new Set([statefulSetName(name)])],
    [
      "PersistentVolumeClaim",
      new Set(Array.from({ length: maxMembers }, (_, ordinal) => dataClaimName(name, ordinal))),
    ],
    ["CronJob", new Set([backupCronJobName(name), verifyCronJobName(name)])],
  ]);
  return (event) =>
    event.kind === "Job" ? isJobOf(name, event.name) : exact.get(event.kind)?.has(event.name) === true;
}

/** Another Database may be called as the beginning of a Job: what follows must be what only Jobs have. */
function isJobOf(name: string, job: string): boolean {
  if ([initJobName(name), restoreJobName(name), importJobName(name), upgradeJobName(name)].includes(job)) return true;
  return [backupCronJobName(name), verifyCronJobName(name)].some(
    (begin) => job.startsWith(`${begin}-`) && /^(first|final|[mgr]?[0-9a-f]+)$/.test(job.slice(begin.length + 1)),
  );
}
