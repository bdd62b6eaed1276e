// How one Database fares, with its members and what to do: pure, like what it adds to.
import { defaultNamespace } from "../../contract/platform";
import { memberName } from "../../components/naming";
import type { SeenBackup } from "../objects/backup";
import type { SeenDatabase } from "../objects/database";
import { endingText, inOrder, type SeenMember } from "../objects/member";
import { nextSteps } from "./next";
import { standingOf, type Standing } from "./standing";

/** One with all that is read beside it. */
export interface DetailedStanding extends Standing {
  readonly members: readonly MemberStanding[];
  /** What its pods say against the operator's word. */
  readonly contradiction?: string;
  /** What to do about it, as commands or sentences. */
  readonly next: readonly string[];
  /** What could not be read. */
  readonly notShown: readonly string[];
}

export interface MemberStanding {
  readonly name: string;
  readonly role?: string;
  readonly node?: string;
  readonly ready: boolean;
  readonly startedAt?: string;
  readonly restarts?: number;
  /** How a container of it ended before the last restart. */
  readonly lastEnding?: string;
  readonly problem?: string;
  /** In bytes. */
  readonly volume?: { readonly used: number; readonly size: number };
  readonly streaming?: boolean;
  /** By what both said last, some seconds apart. */
  readonly bytesBehind?: number;
}

/** What was read beside a Database. */
export interface Beside {
  readonly members: readonly SeenMember[];
  /** Whether pods could be read: else none is missing. */
  readonly areMembersKnown: boolean;
  readonly backups: readonly SeenBackup[];
  readonly notShown: readonly string[];
}

export function detailedStanding(database: SeenDatabase, beside: Beside): DetailedStanding {
  const standing = standingOf(database, beside.backups);
  const contradiction = contradictionOf(standing, beside);
  return {
    ...standing,
    members: membersOf(database, beside),
    contradiction,
    next: [...(contradiction === undefined ? [] : [lookForOperator]), ...nextSteps(standing)],
    notShown: beside.notShown,
  };
}

/** Conditions are what an operator that is away said last; pods are as they are. */
function contradictionOf({ ready }: Standing, { members, areMembersKnown }: Beside): string | undefined {
  const isServed = members.some((member) => member.role === "primary" && member.ready && !member.terminating);
  if (!ready || !areMembersKnown || isServed) return undefined;
  return "the operator said last that it can be used, and none of its pods is a primary that is ready: does an operator run?";
}

const lookForOperator = `kubectl get pods -n ${defaultNamespace}   (docs/platform/troubleshooting.md: an operator that does nothing)`;

function membersOf({ metadata, spec }: SeenDatabase, { members, areMembersKnown }: Beside): readonly MemberStanding[] {
  if (!areMembersKnown) return [];
  const primary = members.find(({ role, terminating }) => role === "primary" && !terminating);
  const missing = Array.from({ length: spec.replicas }, (_, ordinal) => memberName(metadata.name, ordinal))
    .filter((name) => !members.some((member) => member.name === name))
    .map((name): MemberStanding => ({ name, ready: false, problem: "there is no pod" }));
  const present = members.map((member) => memberStanding(member, primary));
  const byName = new Map([...present, ...missing].map((member) => [member.name, member]));
  const ordered = inOrder([...byName.keys()]);
  return ordered.flatMap((name) => byName.get(name) ?? []);
}

function memberStanding(member: SeenMember, primary: SeenMember | undefined): MemberStanding {
  const { name, role, node, ready, startedAt, restarts, ending, problem, volume, streaming } = member;
  const isReplica = role === "replica";
  return {
    name,
    role,
    node,
    ready,
    startedAt,
    restarts: restarts > 0 ? restarts : undefined,
    lastEnding: restarts > 0 && ending !== undefined ? endingText(ending) : undefined,
    problem,
    volume,
    streaming: isReplica ? streaming : undefined,
    bytesBehind: isReplica && streaming === true ? behind(member, primary) : undefined,
  };
}

function behind(replica: SeenMember, primary: SeenMember | undefined): number | undefined {
  if (replica.position === undefined || primary?.position === undefined) return undefined;
  return Math.max(0, primary.position - replica.position);
}
