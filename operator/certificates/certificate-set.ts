// What certificates of a server are, and how they stand in a Secret: PEM under the names that every tool knows.
import { createPrivateKey, X509Certificate } from "node:crypto";

/** A certificate and its private key, as PEM. */
export interface Issued {
  readonly certificate: string;
  /** PKCS #8. Empty: it is lost, so that the authority signs no more, and is trusted for what it has signed. */
  readonly key: string;
}

/** The authorities that are trusted, oldest first, and what is served with. */
export interface CertificateSet {
  readonly authorities: readonly Issued[];
  readonly serving: Issued;
}

/** When a certificate is good for, and whose it is. */
export interface Life {
  readonly from: Date;
  readonly until: Date;
}

/** Reads a certificate that `parseSet` has taken. */
export function lifeOf({ certificate }: Issued): Life {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  return { from: validFromDate, until: validToDate };
}

/** By which a certificate is told from all others: hexadecimal. */
export const fingerprintOf = ({ certificate }: Issued): string =>
  new X509Certificate(certificate).fingerprint256.replaceAll(":", "").toLowerCase();

/** Whose certificate it is, as text. */
export const subjectOf = ({ certificate }: Issued): string => new X509Certificate(certificate).subject;

/** Whether `serving` was signed by `authority`, and is for all of these host names. */
export function isSignedBy(serving: Issued, authority: Issued, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(serving.certificate);
  const isFor = hosts.every((host) => certificate.checkHost(host) !== undefined);
  return isFor && certificate.verify(new X509Certificate(authority.certificate).publicKey);
}

/** What is trusted, for a client that checks the server's certificate: all authorities in one text. */
export const bundleOf = ({ authorities }: CertificateSet): string =>
  authorities.map(({ certificate }) => `${certificate.trim()}\n`).join("");

/** Keys of the Secret. */
const keys = { authorities: "ca.crt", authorityKeys: "ca.key", serving: "tls.crt", servingKey: "tls.key" } as const;

/** The data of the Secret, not encoded. */
export function secretDataOf(set: CertificateSet): Record<string, string> {
  return {
    [keys.authorities]: bundleOf(set),
    [keys.authorityKeys]: set.authorities.map(({ key }) => (key === "" ? "" : `${key.trim()}\n`)).join(""),
    [keys.serving]: set.serving.certificate,
    [keys.servingKey]: set.serving.key,
  };
}

/** The set in the data of a Secret; undefined where something is missing or is no certificate. The newest authority has its key. */
export function parseSet(data: Readonly<Record<string, string>>): CertificateSet | undefined {
  const set = setIn(data);
  return isPair(set.authorities.at(-1)) && set.authorities.every(isReadable) && isPair(set.serving) ? set : undefined;
}

/** What members are known by, in the data of their Secret, which has no keys of authorities; undefined as of `parseSet`. */
export function parseIdentity(data: Readonly<Record<string, string>>): CertificateSet | undefined {
  const set = setIn(data);
  const isWhole = set.authorities.length > 0 && set.authorities.every(isReadable) && isPair(set.serving);
  return isWhole ? set : undefined;
}

function setIn(data: Readonly<Record<string, string>>): CertificateSet {
  const blocks = (key: string): string[] => data[key]?.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  const authorityKeys = blocks(keys.authorityKeys);
  const keyOf = (certificate: string): string => authorityKeys.find((key) => isPair({ certificate, key })) ?? "";
  const authorities = blocks(keys.authorities).map((certificate) => ({ certificate, key: keyOf(certificate) }));
  const [certificate = ""] = blocks(keys.serving);
  const [key = ""] = blocks(keys.servingKey);
  return { authorities, serving: { certificate, key } };
}

function isPair(issued: Issued | undefined): boolean {
  if (issued === undefined) return false;
  try {
    return new X509Certificate(issued.certificate).checkPrivateKey(createPrivateKey(issued.key));
  } catch {
    return false;
  }
}

function isReadable({ certificate }: Issued): boolean {
  try {
    return new X509Certificate(certificate).ca;
  } catch {
    return false;
  }
}
