// What is said of a major upgrade: of each phase, of what it found, and of what a person must decide. Pure.
import type { UpgradeReport } from "../../contract/upgrade-report";
import { finalBackupJobName, memberName, upgradeJobName } from "../../components/naming";
import type { StalledReason } from "../api/reasons";
import type { Upgrade, UpgradeObstacle, UpgradePhase } from "../domain/upgrade";

const whichWay = ({ from, to, heading }: Upgrade): string => (heading === "to" ? `to ${to}` : `back to ${from}`);

/** What happens in each phase, and whom it concerns. */
const phaseTexts: Readonly<Record<UpgradePhase, (upgrade: Upgrade) => string>> = {
  Rehearsing: ({ from, to }) =>
    `the upgrade from ${from} to ${to} is rehearsed with the newest backup; members serve meanwhile`,
  BackingUp: () =>
    "a last backup of the former version is taken, and recorded; the first member must lead, or receive what the primary writes; members serve meanwhile",
  Gathering: () => "all members but the first end, which takes over where another one leads: a failover for clients",
  Stopping: (upgrade) =>
    `the members stop, on the way ${whichWay(upgrade)}: the database is down from here on${timeText(upgrade)}`,
  Converting: (upgrade) =>
    `the files of the first member become those of the version it goes ${whichWay(upgrade)}${timeText(upgrade)}`,
  Starting: (upgrade) =>
    `members start, on the way ${whichWay(upgrade)}; replicas are copied again where they have other files`,
  AwaitingConfirmation: (upgrade) => `${awaitedText(upgrade)}${oldConfirmation(upgrade)}`,
  Removing: () => "the files of the version that is not used any more are removed",
  GaveUp: (upgrade) => givenUpText(upgrade),
};

/** Of the way back, once members have run with the newer files. */
export const lossText = ({ from, to }: Pick<Upgrade, "from" | "to">): string =>
  `what was written with ${to} is not in them: it is kept in the files of ${to}, until spec.upgrade.confirmed is "${from}"`;

/** Of the volume of a rehearsal. */
export const leftVolumeText =
  "the StorageClass has reclaimPolicy Retain, so the PersistentVolume of the rehearsal stays, and must be removed by hand";

/** Of what retention does not count any more, as it is of another cluster. */
export const backupsText = (from: string): string =>
  `backups that were taken with ${from} are not counted by retention any more, and stay until they are removed by hand`;

/** Of what nothing leads back to: other members may have such files, of before the last acknowledged writes. */
export const goneText = ({ from, name }: { readonly from: string; readonly name: string }): string =>
  `${memberName(name, 0)} has no files of ${from} any more, so nothing leads back to it but a restore of the backup before the upgrade into another Database`;

/** Of the confirmation of the version that runs. */
export function removalText({ from, to }: Pick<Upgrade, "from" | "to">, stays: string): string {
  const goes = stays === to ? from : to;
  const lost = stays === to ? `there is no way back to ${goes} then` : `what was written with ${goes} goes with them`;
  return `${stays} is confirmed: the files of ${goes} are removed from every volume for good; ${lost}; ${backupsText(goes)}`;
}

const awaitedText = ({ from, to, heading }: Upgrade): string =>
  heading === "to"
    ? `${to} runs, and the files of ${from} are kept: write spec.upgrade.confirmed: "${to}" to remove them, or spec.version: "${from}" to go back`
    : `${from} runs again, and the files of ${to} are kept, with what was written since: write spec.upgrade.confirmed: "${from}" to remove them`;

const oldConfirmation = (upgrade: Upgrade): string =>
  upgrade.disregarded === upgrade[upgrade.heading]
    ? "; that it says so already is from before, and does not count: remove it, and then write it again"
    : "";

const givenUpText = ({ from, to, served }: Pick<Upgrade, "from" | "to" | "served">): string =>
  served
    ? `the files of ${to} could not be put back; ${from} runs again, and what was written with ${to} is kept in these`
    : `the upgrade to ${to} failed; ${from} runs again, with all that was there`;

const timeText = ({ announcedSeconds, heading }: Upgrade): string =>
  announcedSeconds === undefined || heading === "from" ? "" : `; the rehearsal took ${announcedSeconds} s for it`;

/** See the table. */
export const phaseText = (upgrade: Upgrade): string => phaseTexts[upgrade.phase](upgrade);

/** What is said at the end of one. */
export function endText({ phase, from, to, heading, failed }: Upgrade): string {
  if (phase === "Removing" && !failed)
    return `the upgrade is complete: ${heading === "to" ? to : from} runs, and nothing else is kept`;
  return `the upgrade to ${to} is called off; ${from} runs as before`;
}

/** What the Job found that people should know, in front of which a `; ` is due; empty where it found nothing of the kind. */
export function findingsText({ slots = [], subscriptions = [], indexes = 0, extensions = [] }: UpgradeReport): string {
  const found = [
    ...(slots.length > 0 ? [`replication slots that are not carried over: ${slots.join(", ")}`] : []),
    ...(subscriptions.length > 0 ? [`subscriptions that come back disabled: ${subscriptions.join(", ")}`] : []),
    ...(indexes > 0 ? [`${indexes} indexes were built again, as their collations have changed`] : []),
    ...(extensions.length > 0 ? [`extensions that stay at their former versions: ${extensions.join(", ")}`] : []),
  ];
  return found.map((text) => `; ${text}`).join("");
}

/** By which reason each obstacle is known. */
export const obstacleReasons = {
  "rehearsal failed": "UpgradeFailed",
  "backup failed": "UpgradeFailed",
  "conversion failed": "UpgradeFailed",
  "return failed": "UpgradeFailed",
  "former files are gone": "UpgradeUnsupported",
  "another version is wanted": "UpgradeUnsupported",
  "not confirmed yet": "UpgradeUnsupported",
  "confirmed already": "UpgradeUnsupported",
} as const satisfies Record<UpgradeObstacle, StalledReason>;

/** Of which Database, and the Job's own words. */
interface Told {
  readonly name: string;
  readonly said: string | undefined;
}

const causeOf = ({ said }: Told): string => (said === undefined ? ", and its log says why" : `: ${said}`);
const jobOf = ({ name }: Told): string => `Job ${upgradeJobName(name)}`;

const obstacleTexts: Readonly<Record<UpgradeObstacle, (upgrade: Upgrade, told: Told) => string>> = {
  "rehearsal failed": ({ from, to }, told) =>
    `${jobOf(told)} cannot carry ${from} over to ${to}${causeOf(told)}; members are as they were. Remove the cause and delete the Job, and it is rehearsed again, or write version: "${from}"`,
  "backup failed": ({ from, to }, { name }) =>
    `the backup before the upgrade to ${to} failed; members are as they were. Remove the cause that the log of Job ${finalBackupJobName(name)} names, and delete it, or write version: "${from}"`,
  "conversion failed": (upgrade, { said }) =>
    `${givenUpText(upgrade)}${said === undefined ? "" : ` (${said})`}. Write version: "${upgrade.from}"${upgrade.served ? "" : "; after that it may be tried again"}`,
  "return failed": ({ from, to, failed }, told) =>
    `${jobOf(told)} cannot put the files of ${from} back${causeOf(told)}; no member runs. Remove the cause and delete the Job${failed ? "" : `, or write version: "${to}"`}`,
  "former files are gone": ({ from, to }, { name }) => `${goneText({ from, name })}: write version: "${to}"`,
  "another version is wanted": ({ from, to }) =>
    `an upgrade from ${from} to ${to} is not complete: write one of these two until it is confirmed`,
  "not confirmed yet": ({ from, to }) =>
    `${from} runs again, and the files of ${to} are kept: write spec.upgrade.confirmed: "${from}", which removes them, before the next upgrade`,
  "confirmed already": ({ from, to }) =>
    `${to} was confirmed, and the files of ${from} are being removed: write version: "${to}"`,
};

/** What a person can do about it. */
export const obstacleText = (why: UpgradeObstacle, upgrade: Upgrade, told: Told): string =>
  obstacleTexts[why](upgrade, told);
