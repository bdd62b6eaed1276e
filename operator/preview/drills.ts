// What a change of the CronJob of restore drills means for people: pure.
import type { PlannedStep } from "../domain/runner";

const sentences: Partial<Record<PlannedStep["operation"], string>> = {
  create: "backups are restored by schedule from now on, each time onto a volume that goes again",
  update: "restore drills use the new settings from the next one on",
  delete: "no more backups are restored to look whether they are any good",
};

/** One sentence, or none. */
export function drillsOf(operation: PlannedStep["operation"] | undefined): string[] {
  const sentence = operation && sentences[operation];
  return sentence === undefined ? [] : [sentence];
}
