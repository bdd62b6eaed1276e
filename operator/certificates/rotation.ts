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
  const settledAt = (issued: Issued): Date =>
    new Date(lifeOf(issued).from.getTime() + terms.clockSkewMs + terms.settleMs);
  const good = set.authorities.filter((authority) => lifeOf(authority).until > now);
  const newest = good.at(-1);
  if (newest === undefined || renewalOf(newest) <= now) return { kind: "introduce", beside: good };
  const signer = good.findLast((authority) => settledAt(authority) <= now) ?? good[0] ?? newest;
  // one whose key is lost signs no more: all shall have heard of the next one before that does
  const able = signer.key === "" ? newest : signer;
  const issueAt = issueTimeOf(set.serving, { signers: [signer, able], hosts, terms });
  if (issueAt === undefined || issueAt <= now) return { kind: "issue", signer: able };
  const isSettled = settledAt(set.serving) <= now;
  const remaining = isSettled ? good.slice(good.indexOf(signer)) : good;
  if (remaining.length < set.authorities.length) return { kind: "retire", remaining };
  const times = [settledAt(newest), settledAt(set.serving), renewalOf(newest), issueAt];
  return { kind: "wait", until: earliest(times.filter((time) => time > now)) };
}

/** Two thirds of a certificate's life. */
function renewalOf(issued: Issued): Date {
  const { from, until } = lifeOf(issued);
  return new Date(from.getTime() + (until.getTime() - from.getTime()) * (2 / 3));
}

interface Signers extends CertificateUse {
  /** Whose turn it is, and, where that one's key is lost, who signs in its place. */
  readonly signers: readonly [Issued, Issued];
}

/** When what is served with is issued again; undefined: it does not fit, and is at once. */
function issueTimeOf(serving: Issued, { signers, hosts, terms }: Signers): Date | undefined {
  if (!signers.some((one) => isSignedBy(serving, one, hosts))) return undefined;
  const [signer, able] = signers;
  return able === signer ? renewalOf(serving) : lastMomentOf(serving, terms);
}

/** Before it is good no more, for clocks that differ. */
const lastMomentOf = (issued: Issued, { clockSkewMs }: CertificateTerms): Date =>
  new Date(lifeOf(issued).until.getTime() - clockSkewMs);

const earliest = (times: readonly Date[]): Date => new Date(Math.min(...times.map((time) => time.getTime())));
