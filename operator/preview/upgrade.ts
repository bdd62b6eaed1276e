// What a preview says of a major upgrade: the phases that follow, which of them clients notice, and the time that was measured. Pure.
import type { Upgrade } from "../domain/upgrade";
import { phaseText } from "../reconcile/upgrade-texts";

/** What is said of one that is in progress, or would begin; `wanted`: the version that is asked for. */
export function upgradeNotes(upgrade: Upgrade | undefined, wanted: string): string[] {
  if (upgrade === undefined) return [];
  const { from, to, phase } = upgrade;
  if (wanted !== from && wanted !== to)
    return [`an upgrade from ${from} to ${to} is in progress: ${phaseText(upgrade)}`];
  const way = wayTo(upgrade, wanted);
  return [
    ...(phase === "Rehearsing" ? [] : [`an upgrade from ${from} to ${to} is in progress: ${phaseText(upgrade)}`]),
    ...way,
  ];
}

function wayTo(upgrade: Upgrade, wanted: string): string[] {
  const { from, to, heading, phase, keeps } = upgrade;
  if (wanted === to) return heading === "to" && !keeps ? forwardOf(upgrade) : [];
  if (phase === "Rehearsing" || phase === "BackingUp")
    return [`the upgrade is called off; ${from} runs as before, and nothing is interrupted`];
  if (heading === "from") return [];
  return keeps
    ? [
        `back to ${from}: all members stop, the former files are put back, which takes seconds, and members start; what was written with ${to} is kept in its files, and is not in those of ${from}`,
      ]
    : [`back to ${from}: members start with the files that they have`];
}

const forwardOf = ({ from, to, announcedSeconds }: Upgrade): string[] => [
  `a major upgrade from ${from} to ${to}. Without interruption: it is rehearsed with the newest backup, and a last backup is taken`,
  "then clients notice: all members but the first end (a failover where another one leads), and then the database is down while the files are converted",
  announcedSeconds === undefined
    ? "how long that takes, the rehearsal will tell: status.upgrade.announcedSeconds"
    : `the rehearsal took ${announcedSeconds} s for that; stop and start come in addition`,
  `after that replicas are copied again; the files of ${from} are kept on every volume, and version: "${from}" goes back to them, until spec.upgrade.confirmed is "${to}"`,
];
