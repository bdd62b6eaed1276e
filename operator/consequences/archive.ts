// What it means that the pod comes, goes or restarts that keeps what changes between backups on their volume. Pure.
import { factsOf as engineFacts } from "../../contract/engines";
import { archiveName } from "../../components/naming";
import type { PlannedStep } from "../domain/runner";
import type { Facts } from "./circumstances";
import { exposure, harmless, type Consequence } from "./consequence";

/** Of one that comes. One sentence each. `changes`: what it keeps. */
export const archiveTexts = (pod: string, changes: string): readonly string[] => [
  `${pod}, a pod that runs all the time, keeps the ${changes} on the backup volume: from the next backup on a restore goes to any moment; the volume needs room for all that is written since the oldest backup`,
  "where the backup volume can be on one node at a time, backups and restores from it run on the node of that pod",
];

const continued = (pod: string): Consequence[] => [
  harmless(`${pod}, which copies what changes between backups, restarts, and continues where it was`),
];

const following: Readonly<Record<PlannedStep["operation"], (pod: string, changes: string) => readonly Consequence[]>> =
  {
    create: (pod, changes) => archiveTexts(pod, changes).map(harmless),
    update: continued,
    replace: continued,
    delete: (pod, changes) => [
      exposure(
        `${pod} ends: what is written from now on is in backups alone, and no restore goes to a moment between them; what is there of the ${changes} stays until no backup needs it`,
      ),
    ],
    same: () => [],
  };

const isMoved = (step: PlannedStep | undefined): boolean =>
  step?.operation === "update" || step?.operation === "replace";

/** What the pod keeps. */
export const changesOf = ({ specs }: Pick<Facts, "specs">): string =>
  engineFacts(specs.after.engine).changes ?? "changes";

export function archive(at: Facts): readonly Consequence[] {
  const { find, name, noBackupPlace } = at;
  const pod = archiveName(name);
  // it is told with the backups
  if (noBackupPlace !== undefined && isMoved(find("Deployment", pod))) return [];
  return following[find("Deployment", pod)?.operation ?? "same"](pod, changesOf(at));
}
