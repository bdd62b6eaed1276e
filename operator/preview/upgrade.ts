// What a preview says of a major upgrade: the phases that follow, which of them clients notice, what they need, and the time that was measured. Pure.
import { memberName, upgradeJobName } from "../../components/naming";
import { harmless, type Consequence } from "../consequences/consequence";
import { isAtRest, type Upgrade, type UpgradeStep } from "../domain/upgrade";
import {
  backupsText,
  leftVolumeText,
  lossText,
  obstacleText,
  phaseText,
  removalText,
} from "../reconcile/upgrade-texts";

/** What is said of it depends on this. */
export interface UpgradeAsked {
  /** Of the Database. */
  readonly name: string;
  /** The version, the confirmation, and what else of the spec the way depends on. */
  readonly wanted: string;
  readonly confirmed: string | undefined;
  readonly replicas: number;
  readonly storage: string;
  /** Whether the volume of the rehearsal stays behind. */
  readonly leavesVolume: boolean;
  /** Whether it would begin with what is previewed; else it is in progress. */
  readonly begins: boolean;
  /** What the reconcile would do next; undefined where that is not known. */
  readonly step?: UpgradeStep | undefined;
  /** The Job's own words. */
  readonly said?: string | undefined;
}

/** Of one that is in progress, or would begin. What cannot be had of the version is refused before. */
export function upgradeConsequences(upgrade: Upgrade | undefined, asked: UpgradeAsked): Consequence[] {
  if (upgrade === undefined) return [];
  const present = [
    ...(asked.begins ? [] : [`an upgrade from ${upgrade.from} to ${upgrade.to} is in progress: ${phaseText(upgrade)}`]),
    ...(asked.step?.kind === "stalled"
      ? [`it waits for a person: ${obstacleText(asked.step.why, upgrade, { name: asked.name, said: asked.said })}`]
      : []),
  ];
  return [...present.map(harmless), ...(isClosed(asked) ? [] : wayTo(upgrade, asked))];
}

const isClosed = ({ step }: UpgradeAsked): boolean => step?.kind === "stalled" && step.why === "former files are gone";

function wayTo(upgrade: Upgrade, asked: UpgradeAsked): Consequence[] {
  const { from, to, heading, phase, keeps } = upgrade;
  const { wanted } = asked;
  if (isAtRest(upgrade) && wanted === upgrade[heading]) return confirmationOf(upgrade, asked);
  if (wanted === to) return heading === "to" && !keeps ? forwardOf(upgrade, asked) : aroundOf(upgrade, asked);
  if (phase === "Rehearsing" || phase === "BackingUp")
    return [harmless(`the upgrade is called off; ${from} runs as before, and nothing is interrupted`)];
  return heading === "from" ? [] : backOf(upgrade, asked);
}

/** Of one that is at rest and stays there. */
function confirmationOf(upgrade: Upgrade, { confirmed }: UpgradeAsked): Consequence[] {
  const { heading, phase, disregarded } = upgrade;
  if (phase !== "AwaitingConfirmation" || confirmed !== upgrade[heading] || confirmed === disregarded) return [];
  const message = removalText(upgrade, confirmed);
  // the newer files hold all data: what goes with the former ones is the way back
  return [{ effect: confirmed === upgrade.to ? "None" : "DataLoss", members: [], message }];
}

/** On its way back, and forward is wanted. */
function aroundOf({ from, to, heading, phase, failed }: Upgrade, asked: UpgradeAsked): Consequence[] {
  if (heading === "to" || failed) return [];
  return phase === "Removing"
    ? [harmless(`once the files of ${to} are gone, the next upgrade to it begins, with another rehearsal`)]
    : [downtime(`the way back to ${from} is broken off: it goes to ${to} again`, asked)];
}

/** What was written with the newer version is kept in its files, and no client sees it any more. */
function backOf(upgrade: Upgrade, asked: UpgradeAsked): Consequence[] {
  const { from, keeps, served } = upgrade;
  if (!keeps) return [downtime(`back to ${from}: members start with the files that they have`, asked)];
  const loss = served ? lossText(upgrade) : "all that was acknowledged is in them";
  const message = `back to ${from}: clients are cut off, all members stop, the former files are put back, which takes seconds, and members start; ${loss}`;
  return [{ ...downtime(message, asked), ...(served && { effect: "DataLoss" }) }];
}

const downtime = (message: string, { name, replicas }: UpgradeAsked): Consequence => ({
  effect: "Downtime",
  members: Array.from({ length: replicas }, (_, ordinal) => memberName(name, ordinal)),
  message,
});

function forwardOf(upgrade: Upgrade, asked: UpgradeAsked): Consequence[] {
  const { name, replicas } = asked;
  const others = Array.from({ length: replicas - 1 }, (_, n) => memberName(name, n + 1)).join(", ");
  const first = memberName(name, 0);
  const { announcedSeconds: aboutSeconds } = upgrade;
  const noticed = `then clients notice: ${others === "" ? "" : `${others} end, and ${first} takes over where it does not lead (a failover), so that it has all that was acknowledged; then `}the database is down while Job ${upgradeJobName(name)} converts the files of ${first}`;
  return [
    ...preparationOf(upgrade, asked).map(harmless),
    { ...downtime(noticed, asked), ...(aboutSeconds !== undefined && { aboutSeconds }) },
    ...afterwards(upgrade, { others, first }).map(harmless),
    ...earlyOf(upgrade, asked).map(harmless),
  ];
}

function preparationOf(upgrade: Upgrade, asked: UpgradeAsked): string[] {
  const { phase } = upgrade;
  return [
    ...(phase === "Rehearsing" ? rehearsalOf(upgrade, asked) : []),
    ...(phase === "Rehearsing" || phase === "BackingUp"
      ? ["then a last backup is taken; members serve meanwhile"]
      : []),
  ];
}

/** `others`: the members but the first, with commas; empty where there are none. */
function afterwards(
  upgrade: Upgrade,
  { others, first }: { readonly others: string; readonly first: string },
): string[] {
  const { from, to, images } = upgrade;
  return [
    downtimeOf(upgrade),
    `members start with image ${images.to}${others === "" ? "" : `; ${others} are copied again from ${first}`}`,
    ...(others === ""
      ? []
      : [
          `${others} need room for a second copy of the data, beside the files that are kept: where there is none, they are missing until the upgrade is confirmed`,
        ]),
    `beside what the data take up, the volume of ${first} needs some hundred MiB, or, where its file system cannot share blocks, as much again as the data: without that room the rehearsal refuses`,
    `the files of ${from} are kept on every volume, and take up what has changed since; version: "${from}" goes back to them, without what was written since, until spec.upgrade.confirmed is "${to}"`,
    backupsText(from),
    `what fails before members start with ${to} brings ${from} back by itself`,
  ];
}

const earlyOf = ({ to, disregarded }: Upgrade, { confirmed }: UpgradeAsked): string[] =>
  disregarded === to || confirmed === to
    ? [
        "what spec.upgrade.confirmed says is from before, and confirms nothing: remove it, and write it once the new version runs",
      ]
    : [];

const rehearsalOf = ({ from, to, images }: Upgrade, { name, storage, leavesVolume }: UpgradeAsked): string[] => [
  `a major upgrade from ${from} to ${to}, in several runs, of which this is the first: Job ${upgradeJobName(name)} (image ${images.job}) rehearses it with the newest backup, on a volume of ${storage} that goes with it; what pg_upgrade refuses, prepared transactions or tablespaces end it there, with nothing changed`,
  ...(leavesVolume ? [leftVolumeText] : []),
];

const downtimeOf = ({ announcedSeconds }: Upgrade): string =>
  announcedSeconds === undefined
    ? "how long that takes, the rehearsal will tell: status.upgrade.announcedSeconds; it does not wait for a person after that"
    : `the rehearsal took ${announcedSeconds} s for that; stop and start come in addition`;
