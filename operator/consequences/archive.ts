// What it means that the pod comes, goes or restarts that keeps what changes between backups on their volume. Pure.
import { archiveName } from "../../components/naming";
import type { PlannedStep } from "../domain/runner";
import type { Facts } from "./circumstances";
import { exposure, harmless, type Consequence } from "./consequence";

/** Of one that comes. One sentence each. */
export const archiveTexts = (pod: string): readonly string[] => [
  `${pod}, a pod that runs all the time, keeps the binary logs on the backup volume: from the next backup on a restore goes to any moment; the volume needs room for all that is written since the oldest backup`,
  "where the backup volume can be on one node at a time, backups and restores from it run on the node of that pod",
];

const continued = (pod: string): Consequence[] => [
  harmless(`${pod}, which copies what changes between backups, restarts, and continues where it was`),
];

const following: Readonly<Record<PlannedStep["operation"], (pod: string) => readonly Consequence[]>> = {
  create: (pod) => archiveTexts(pod).map(harmless),
  update: continued,
  replace: continued,
  delete: (pod) => [
    exposure(
      `${pod} ends: what is written from now on is in backups alone, and no restore goes to a moment between them; binary logs that are there stay until no backup needs them`,
    ),
  ],
  same: () => [],
};

export function archive({ find, name }: Facts): readonly Consequence[] {
  const pod = archiveName(name);
  return following[find("Deployment", pod)?.operation ?? "same"](pod);
}
