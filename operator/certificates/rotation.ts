// When which certificate is issued again. What was done before is read from the certificates' own times: nothing else is kept.
import { isSignedBy, lifeOf, type CertificateSet, type Issued } from "./certificate-set";

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
}

/** What must be done next. */
export type RotationStep =
  /** A new authority, beside those that are good. */
  | { readonly kind: "introduce"; readonly beside: readonly Issued[] }
  | { readonly kind: "issue"; readonly signer: Issued }
  /** These authorities alone are trusted from now on. */
  | { readonly kind: "retire"; readonly remaining: readonly Issued[] }
  | { readonly kind: "wait"; readonly until: Date };

/** The next step for `set` at `now`. */
export function nextStep(set: CertificateSet, { hosts, terms }: CertificateUse, now: Date): RotationStep {
  const isOver = (time: Date): boolean => time <= now;
  const settledAt = (issued: Issued): Date =>
    new Date(lifeOf(issued).from.getTime() + terms.clockSkewMs + terms.settleMs);
  const good = set.authorities.filter((authority) => !isOver(lifeOf(authority).until));
  const signers = good.filter(({ key }) => key !== "");
  const newest = signers.at(-1);
  if (newest === undefined || isOver(renewalOf(newest))) return { kind: "introduce", beside: good };
  // the last one of which all have heard
  const signer = signers.findLast((authority) => isOver(settledAt(authority)));
  const { able, others } =
    signer === undefined ? { able: signers[0] ?? newest, others: good } : { able: signer, others: [] };
  const issueAt = issueTimeOf(set.serving, { able, others, hosts, terms });
  if (issueAt === undefined || isOver(issueAt)) return { kind: "issue", signer: able };
  const isKnown = signer !== undefined && isOver(settledAt(set.serving));
  const remaining = isKnown ? good.slice(good.indexOf(signer)) : good;
  if (remaining.length < set.authorities.length) return { kind: "retire", remaining };
  const times = [...good.map(settledAt), settledAt(set.serving), renewalOf(newest), issueAt];
  return { kind: "wait", until: earliest(times.filter((time) => !isOver(time))) };
}

/** Two thirds of a certificate's life. */
function renewalOf(issued: Issued): Date {
  const { from, until } = lifeOf(issued);
  return new Date(from.getTime() + (until.getTime() - from.getTime()) * (2 / 3));
}

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
function issueTimeOf(serving: Issued, { able, others, hosts, terms }: Signers): Date | undefined {
  if (isSignedBy(serving, able, hosts)) return renewalOf(serving);
  return others.some((one) => isSignedBy(serving, one, hosts)) ? lastMomentOf(serving, terms) : undefined;
}

/** Before it is good no more, for clocks that differ. */
const lastMomentOf = (issued: Issued, { clockSkewMs }: CertificateTerms): Date =>
  new Date(lifeOf(issued).until.getTime() - clockSkewMs);

const earliest = (times: readonly Date[]): Date => new Date(Math.min(...times.map((time) => time.getTime())));
