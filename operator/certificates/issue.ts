// Issues certificates: an authority of the operator's own, and what servers that it signs for are served with.
import "reflect-metadata";
import { randomBytes, type webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { Issued } from "./certificate-set";
import type { CertificateTerms, CertificateUse } from "./rotation";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A new authority, good from now on. */
export async function issueAuthority(terms: CertificateTerms, now: Date): Promise<Issued> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(now, terms, terms.authorityMs),
    // each has a name of its own: a client that checks finds the issuer by it
    name: `CN=${terms.subject} ${randomBytes(4).toString("hex")}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return issued(certificate, keys);
}

/** A certificate for a server, signed by `authority`. */
export async function issueServing(authority: Issued, { hosts, terms }: CertificateUse, now: Date): Promise<Issued> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = await crypto.subtle.importKey(
    "pkcs8",
    x509.PemConverter.decodeFirst(authority.key),
    algorithm,
    false,
    ["sign"],
  );
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(now, terms, terms.servingMs),
    subject: `CN=${terms.subject}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: "dns", value }))),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return issued(certificate, keys);
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function issued(certificate: x509.X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): Promise<Issued> {
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", privateKey), "PRIVATE KEY");
  return { certificate: certificate.toString("pem"), key };
}

function validity(now: Date, { clockSkewMs }: CertificateTerms, lifeMs: number): Validity {
  return {
    // positive: the first byte stays below 0x80
    serialNumber: `01${randomBytes(15).toString("hex")}`,
    notBefore: new Date(now.getTime() - clockSkewMs),
    notAfter: new Date(now.getTime() + lifeMs),
  };
}

interface Validity {
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}
