// When all members end at once: in which order they leave their group, so that each of them has all of its transactions. Pure.
import type { MemberReport, Membership } from "./observation";
import type { GroupRecord } from "./record";

/**
 * What a stopping member waits for before it leaves; nothing where another of its group does not stop. The primary shuts clients out and leaves
 * last, the others leave once it has shut them out. `known`: the last report of each other member. `isNew`: whether the others may be about to
 * learn that they stop as well: pods that are deleted at once do not learn it at once.
 */
export function awaitedBeforeLeaving(
  self: string,
  membership: Membership,
  known: readonly MemberReport[],
  isNew: boolean,
): string | undefined {
  const others = membership.members.filter(({ name }) => name !== self);
  if (membership.state !== "ONLINE" || !membership.quorum || others.length === 0) return undefined;
  const reports = new Map(known.map((report) => [report.name, report]));
  const staying = others.filter(({ name }) => reports.get(name)?.stopping !== true);
  if (staying.length > 0) return isNew ? `${namesOf(staying)}, which may stop as well` : undefined;
  if (membership.role === "PRIMARY") return `${namesOf(others)} to leave the group`;
  const primary = others.find(({ role }) => role === "PRIMARY");
  return primary && isOpen(reports.get(primary.name)) ? `${primary.name} to shut clients out` : undefined;
}

const namesOf = (members: readonly { readonly name: string }[]): string => members.map(({ name }) => name).join(", ");

/** One whose server has not answered for a while is in the group as well: it has not shut clients out. */
const isOpen = (report: MemberReport | undefined): boolean => report?.server.kind !== "up" || !report.server.offline;

/**
 * Whether this member is all that is left of the recorded group. Then it has all transactions of the group: no member is dropped from a group
 * without a majority, and what was acknowledged before a member left had reached all that stayed.
 */
export function isAllOfGroup(self: string, membership: Membership, record: GroupRecord): boolean {
  const { state, quorum, view, members } = membership;
  const isAlone = members.length === 1 && members[0]?.name === self;
  return state === "ONLINE" && quorum && isAlone && view === record.view && record.members.includes(self);
}
