// What it means that the pod comes or goes that keeps what changes between backups on their volume. Pure.
import { archiveName } from "../../components/naming";
import type { PlannedStep } from "../domain/runner";
import type { Facts } from "./circumstances";
import { harmless, type Consequence } from "./consequence";

const sentences: Partial<Record<PlannedStep["operation"], (pod: string) => string[]>> = {
  create: (pod) => [
    `${pod}, a pod that runs all the time, keeps the binary logs on the backup volume: from the next backup on a restore goes to any moment; the volume needs room for all that is written since the oldest backup`,
    "where the backup volume can be on one node at a time, backups and restores from it run on the node of that pod",
  ],
  delete: (pod) => [
    `${pod} ends: what is written from now on is in backups alone, and no restore goes to a moment between them; binary logs that are there stay until no backup needs them`,
  ],
};

/** One sentence each. */
export const archiveTexts = (operation: PlannedStep["operation"], name: string): string[] =>
  sentences[operation]?.(archiveName(name)) ?? [];

export const archive = ({ find, name }: Facts): Consequence[] =>
  archiveTexts(find("Deployment", archiveName(name))?.operation ?? "same", name).map(harmless);
