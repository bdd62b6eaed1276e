// What the phase of a major upgrade makes of what is desired, and by what its Job and its backup are asked for. Pure.
import { carriesOver, type Catalogue } from "../api/catalogue";
import type { Desired } from "../domain/desired";
import { declarationOf, type Upgrade, type UpgradeJob } from "../domain/upgrade";

/** What is desired, as the phase that the upgrade is in wants it. */
export function withUpgrade<D extends Desired>(desired: D, upgrade: Upgrade | undefined, catalogue: Catalogue): D {
  if (upgrade === undefined) return desired;
  const { version, members, job, takesBackup, removesOthers } = declarationOf(upgrade);
  const { from, to } = upgrade;
  const declared = { image: jobImageOf(upgrade, catalogue), from, to };
  return {
    ...desired,
    spec: { ...desired.spec, version },
    image: imageOf(upgrade, version, catalogue),
    upgrade: {
      members,
      ...(job !== undefined && { job: { ...declared, act: job, request: requestOf(upgrade, job) } }),
      ...(removesOthers && { removesOthers }),
      // not that of a Database that goes: schedules, growth and rollouts continue
      ...(takesBackup && { backup: backupWishOf(upgrade) }),
      note: JSON.stringify(upgrade),
    },
  };
}

/** A newer build of the same version counts; what the catalogue has no more is still there. */
export function imageOf({ to, images }: Upgrade, version: string, catalogue: Catalogue): string {
  return catalogue.postgresql?.[version]?.image ?? (version === to ? images.to : images.from);
}

/** The same of the image of its Jobs, where that still carries this version over: a recorded one may not be there to be pulled any more. */
function jobImageOf({ from, to, images }: Upgrade, catalogue: Catalogue): string {
  const { upgrade } = catalogue.postgresql?.[to] ?? {};
  return upgrade !== undefined && carriesOver(upgrade, from) ? upgrade.image : images.job;
}

/** Which step of which upgrade a Job is. */
export const requestOf = ({ uid, from, to }: Upgrade, act: UpgradeJob): string => `${uid} ${act} ${from} ${to}`;

/** Which last backup is asked for. */
export const backupWishOf = ({ uid, to }: Upgrade): string => `${uid}/${to}`;
