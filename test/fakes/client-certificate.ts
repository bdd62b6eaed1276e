// Certificates that clients show.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import type { Issued } from "../../operator/certificates/certificate-set";
import { issueAuthority } from "../../operator/certificates/issue";
import { webhookTerms } from "../../operator/certificates/rotation";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A client's certificate, as a cluster's own authority issues them. */
export async function issueClient(
  by: Issued,
  commonName = "kube-apiserver",
): Promise<{ readonly cert: string; readonly key: string }> {
  const issuerKey = x509.PemConverter.decodeFirst(by.key);
  const signingKey = await crypto.subtle.importKey("pkcs8", issuerKey, algorithm, false, ["sign"]);
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${commonName}`,
    issuer: new x509.X509Certificate(by.certificate).subject,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
    ],
  });
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { cert: certificate.toString("pem"), key };
}

export const newAuthority = (): Promise<Issued> => issueAuthority(webhookTerms, new Date());
