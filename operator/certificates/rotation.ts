// When which certificate is issued again. What was done before is read from the certificates' own times, and from when they became known.
import { fingerprintOf, isSignedBy, lifeOf, type CertificateSet, type Issued } from "./certificate-set";

export const dayMs = 86_400_000;

/** What certificates of one use have in common. */
export interface CertificateTerms {
  /** Whose they are, for people who read them. */
  readonly subject: string;
  /** How long an authority is good for. */
  readonly authorityMs: number;
  /** How long a server's certificate is good for. */
  readonly servingMs: number;
  /** They are good from this long before they are issued, for clocks that differ. */
  readonly clockSkewMs: number;
  /** How long a new authority is trusted before it signs, and an old one after it has signed: every client has heard of it by then. */
  readonly settleMs: number;
}

const hourMs = 3_600_000;

/** Of the webhooks: the API server hears of a new authority at once. */
export const webhookTerms: CertificateTerms = {
  subject: "database-operator webhooks",
  authorityMs: 3650 * dayMs,
  servingMs: 365 * dayMs,
  clockSkewMs: hourMs,
  settleMs: hourMs,
};

/** Of a Database: its clients hear of a new authority where they start again. */
export const databaseTerms: CertificateTerms = {
  subject: "database-operator database",
  authorityMs: 3650 * dayMs,
  servingMs: 90 * dayMs,
  clockSkewMs: hourMs,
  settleMs: 30 * dayMs,
};

/** Whom a server's certificate is for, and on what terms it is issued. */
export interface CertificateUse {
  readonly hosts: readonly string[];
  readonly terms: CertificateTerms;
  /** Since when those who need it can have a certificate; undefined: they cannot yet. Default: since it was issued. */
  readonly knownSince?: (issued: Issued) => Date | undefined;
}

/** What must be done next. */
export type RotationStep =
  /** A new authority, beside those that are good. */
  | { readonly kind: "introduce"; readonly beside: readonly Issued[] }
  | { readonly kind: "issue"; readonly signer: Issued }
  /** These authorities alone are trusted from now on. */
  | { readonly kind: "retire"; readonly remaining: readonly Issued[] }
  | { readonly kind: "wait"; readonly until: Date };

/** The next step for `set` at `now`, or when there is one: at a time from which nothing follows no one need look. */
export function nextStep(set: CertificateSet, use: CertificateUse, now: Date): RotationStep {
  const step = stepAt(set, use, now);
  if ("kind" in step) return step;
  // what cannot be had yet is counted from now on, as above, and not from the time that is looked at
  const { knownSince } = use;
  const known = knownSince && { ...use, knownSince: (issued: Issued): Date => knownSince(issued) ?? now };
  const leading = step.filter((time) => "kind" in stepAt(set, known ?? use, time));
  return { kind: "wait", until: earliest(leading.length > 0 ? leading : step) };
}

/** What is to be done, or the times at which there may be something. */
function stepAt(
  set: CertificateSet,
  use: CertificateUse,
  now: Date,
): Exclude<RotationStep, { kind: "wait" }> | readonly Date[] {
  const isOver = (time: Date): boolean => time <= now;
  const settledAt = settlingOf(use, now);
  // a clock that was ahead for a while has issued what is good only later
  const good = set.authorities.filter((authority) => isGood(authority, now));
  const signers = good.filter(({ key }) => key !== "");
  const newest = signers.at(-1);
  if (newest === undefined || isOver(renewalOf(newest))) return { kind: "introduce", beside: set.authorities };
  // the last one of which all have heard
  const signer = signers.findLast((authority) => isOver(settledAt(authority)));
  const able = signer ?? signers[0] ?? newest;
  const issueAt = issueTimeOf(set.serving, { ...use, able, others: signer === undefined ? good : [] }, now);
  if (issueAt === undefined || isOver(issueAt)) return { kind: "issue", signer: able };
  const remaining = isOver(settledAt(set.serving)) ? since(signer, set.authorities) : set.authorities;
  if (remaining.length < set.authorities.length) return { kind: "retire", remaining };
  const times = [...settling(set, good).map(settledAt), renewalOf(newest), issueAt];
  return times.filter((time) => !isOver(time));
}

/** Those that came later, with it: none goes before, be it that it has expired, as the clock may be what is wrong. */
const since = (signer: Issued | undefined, authorities: readonly Issued[]): readonly Issued[] =>
  signer === undefined ? authorities : authorities.slice(authorities.indexOf(signer));

/** What something follows from once all have heard of it: of one authority alone nothing does. */
const settling = ({ authorities, serving }: CertificateSet, good: readonly Issued[]): readonly Issued[] =>
  authorities.length > 1 ? [...good, serving] : [];

/** By when all have heard of a certificate. */
function settlingOf({ terms, ...use }: CertificateUse, now: Date): (issued: Issued) => Date {
  const sinceIssued = (issued: Issued): Date => new Date(lifeOf(issued).from.getTime() + terms.clockSkewMs);
  const { knownSince = sinceIssued } = use;
  return (issued) => new Date((knownSince(issued) ?? now).getTime() + terms.settleMs);
}

function isGood(issued: Issued, now: Date): boolean {
  const { from, until } = lifeOf(issued);
  return from <= now && now < until;
}

/** The share of its life after which a certificate is renewed. */
const renewedAfter = 2 / 3;
/** Of that share: so much earlier at most, or what was created in one hour would be due in one hour for ever. */
const spread = 1 / 20;

/** When a certificate is renewed, by `share` of its life earlier than the latest. */
function renewalOf(issued: Issued, share = 0): Date {
  const { from, until } = lifeOf(issued);
  return new Date(from.getTime() + (until.getTime() - from.getTime()) * (renewedAfter - share));
}

/** Some share of `spread`: always the same of a certificate, and another one of each. */
const earlierBy = (issued: Issued): number =>
  (Number.parseInt(fingerprintOf(issued).slice(0, 4), 16) / 0xffff) * spread;

interface Signers extends CertificateUse {
  /** What would sign now. */
  readonly able: Issued;
  /** What clients trust as well, where not all of them have heard of that yet. */
  readonly others: readonly Issued[];
}

/**
 * When what is served with is issued again; undefined: it does not fit, and is at once. What was signed with a key that is lost stays for as long
 * as it can: all shall have heard of the next authority before that signs.
 */
function issueTimeOf(serving: Issued, { able, others, hosts, terms }: Signers, now: Date): Date | undefined {
  if (!isGood(serving, now)) return undefined;
  if (isSignedBy(serving, able, hosts)) return renewalOf(serving, earlierBy(serving));
  return others.some((one) => isSignedBy(serving, one, hosts)) ? lastMomentOf(serving, terms) : undefined;
}

/** Before it is good no more: so long that an operator may be away for a while, and clocks differ. */
const lastMomentOf = (issued: Issued, { clockSkewMs, settleMs }: CertificateTerms): Date =>
  new Date(lifeOf(issued).until.getTime() - clockSkewMs - settleMs / 30);

const earliest = (times: readonly Date[]): Date => new Date(Math.min(...times.map((time) => time.getTime())));
