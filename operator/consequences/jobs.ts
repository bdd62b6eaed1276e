// Jobs that run, and what their schedules become. Pure.
import {
  archiveName,
  backupCronJobName,
  firstBackupJobName,
  initJobName,
  verifyCronJobName,
} from "../../components/naming";
import type { PlannedStep } from "../domain/runner";
import type { Facts } from "./circumstances";
import { exposure, harmless, type Consequence } from "./consequence";

type Sentences = Readonly<Partial<Record<PlannedStep["operation"], string>>>;

const ofBackups: Sentences = {
  create: "backups are taken by schedule from now on",
  update: "backups use the new settings from the next one on",
};

const ofDrills: Sentences = {
  create: "backups are restored by schedule from now on, each time onto a volume that goes again",
  update: "restore drills use the new settings from the next one on",
  delete: "no more backups are restored to look whether they are any good",
};

const ofSchedule =
  (nameOf: (database: string) => string, sentences: Sentences) =>
  ({ find, name }: Facts): Consequence[] => {
    const operation = find("CronJob", nameOf(name))?.operation;
    const sentence = operation && sentences[operation];
    return sentence === undefined ? [] : [harmless(sentence)];
  };

const whereItRuns =
  (nameOf: (database: string) => string, sentence: string) =>
  ({ find, name }: Facts): Consequence[] => {
    const operation = find("Job", nameOf(name))?.operation;
    return operation === "create" || operation === "replace" ? [harmless(sentence)] : [];
  };

/** Members are left where they are then; these pods are not. */
export function backupPods({ find, name, noBackupPlace }: Facts): Consequence[] {
  const [schedule, archive] = [find("CronJob", backupCronJobName(name)), find("Deployment", archiveName(name))];
  const isDeclared = [schedule, archive].some((step) => step !== undefined && step.operation !== "delete");
  if (noBackupPlace === undefined || !isDeclared) return [];
  const stream = archive === undefined ? "" : `, and ${archiveName(name)} keeps nothing of what changes between them`;
  return [exposure(`${noBackupPlace}: until one could take their pods no backup is taken${stream}`)];
}

export const backupSchedule = ofSchedule(backupCronJobName, ofBackups);
export const drillSchedule = ofSchedule(verifyCronJobName, ofDrills);
export const backupAtOnce = whereItRuns(firstBackupJobName, "a backup is taken at once");
export const initialization = whereItRuns(
  initJobName,
  "the Job that creates the application's role and database runs again; it leaves what it finds",
);
