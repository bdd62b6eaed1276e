// The cluster's certificate authority: issues certificates, keys and kubeconfigs into the cluster's directory.
import "reflect-metadata";
import { randomBytes, type webcrypto } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
import { isCode } from "../host/lock";
import { kubeconfigOf } from "./kubeconfig";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const VALID_DAYS = 3650;
const DAY_MILLISECONDS = 86_400_000;

/** Whom a certificate names, as Kubernetes reads it: the user and the user's groups. */
export interface Subject {
  user: string;
  groups?: readonly string[];
}

/** Paths of a PEM certificate and its PKCS #8 key. */
export interface CertificateFiles {
  certificate: string;
  key: string;
}

/** Issues what the components of one cluster identify themselves with. What was issued under a name stays. */
export interface Certificates {
  /** Path of the authority's certificate. */
  readonly authority: string;
  /** Path of the authority's key. */
  readonly authorityKey: string;
  /** A certificate for a client, as files `<name>.crt` and `<name>.key`. */
  client(name: string, subject: Subject): Promise<CertificateFiles>;
  /** A certificate for a server (that may be a client too) under these host names and addresses. */
  server(name: string, subject: Subject, addresses: readonly string[]): Promise<CertificateFiles>;
  /** A key pair: `<name>.key`, and the public key `<name>.pub` in place of a certificate. */
  keyPair(name: string): Promise<CertificateFiles>;
  /** A kubeconfig for `subject`; returns its path. Default `file`: `kubeconfigs/<name>`. */
  kubeconfig(args: { name: string; subject: Subject; server: string; file?: string }): Promise<string>;
}

/** Where an authority keeps its files, and what its clients call the cluster. */
export interface CertificatesArgs {
  /** Name of the cluster. */
  cluster: string;
  /** Certificates and keys, created if missing. */
  directory: string;
  /** Kubeconfigs, created if missing. */
  kubeconfigs: string;
}

/** Opens the authority in a directory, creating it first where it is missing. */
export async function openCertificates(args: CertificatesArgs): Promise<Certificates> {
  await mkdir(args.directory, { recursive: true, mode: 0o700 });
  await mkdir(args.kubeconfigs, { recursive: true, mode: 0o700 });
  const filesOf = (name: string): CertificateFiles => ({
    certificate: join(args.directory, `${name}.crt`),
    key: join(args.directory, `${name}.key`),
  });
  const ca = filesOf("ca");
  await once(ca.certificate, async () => {
    await writeBoth(ca, await selfSigned());
  });
  const issuer = await readIssuer(ca);
  const issue = async (name: string, subject: Subject, addresses: readonly string[]): Promise<CertificateFiles> => {
    const files = filesOf(name);
    await once(files.certificate, async () => {
      await writeBoth(files, await signed(issuer, subject, addresses));
    });
    return files;
  };
  const certificates: Certificates = {
    authority: ca.certificate,
    authorityKey: ca.key,
    client: (name, subject) => issue(name, subject, []),
    server: issue,
    async keyPair(name) {
      const files = { certificate: join(args.directory, `${name}.pub`), key: join(args.directory, `${name}.key`) };
      await once(files.certificate, async () => {
        const keys = await newKeys();
        await writeBoth(files, {
          certificate: await publicPem(keys.publicKey),
          key: await privatePem(keys.privateKey),
        });
      });
      return files;
    },
    async kubeconfig({ name, subject, server, file = join(args.kubeconfigs, name) }) {
      const files = await certificates.client(name, subject);
      const [certificateAuthority, certificate, key] = await Promise.all(
        [ca.certificate, files.certificate, files.key].map((path) => readFile(path, "utf8")),
      );
      if (certificateAuthority === undefined || certificate === undefined || key === undefined) {
        throw new Error("unreachable: three files were read");
      }
      const text = kubeconfigOf({
        name: args.cluster,
        server,
        certificateAuthority,
        user: subject.user,
        certificate,
        key,
      });
      await writeFile(file, text, { mode: 0o600 });
      return file;
    },
  };
  return certificates;
}

interface Issuer {
  certificate: x509.X509Certificate;
  key: webcrypto.CryptoKey;
}

interface Pems {
  certificate: string;
  key: string;
}

async function once(file: string, make: () => Promise<void>): Promise<void> {
  const there = await readFile(file).then(
    () => true,
    (error: unknown) => {
      if (isCode(error, "ENOENT")) return false;
      throw error;
    },
  );
  if (!there) await make();
}

/** The key first: a certificate in place means that its key is, too. */
async function writeBoth(files: CertificateFiles, pems: Pems): Promise<void> {
  await writeFile(files.key, pems.key, { mode: 0o600 });
  await writeFile(files.certificate, pems.certificate);
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

async function publicPem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey("spki", key), "PUBLIC KEY");
}

async function selfSigned(): Promise<Pems> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: "CN=database-operator-cluster",
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await privatePem(keys.privateKey) };
}

async function signed(issuer: Issuer, subject: Subject, addresses: readonly string[]): Promise<Pems> {
  const keys = await newKeys();
  const names = addresses.map((value) => ({ type: isIP(value) ? ("ip" as const) : ("dns" as const), value }));
  const usages = names.length > 0 ? [x509.ExtendedKeyUsage.serverAuth] : [];
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(),
    subject: [...(subject.groups ?? []).map((group) => ({ O: [group] })), { CN: [subject.user] }],
    issuer: issuer.certificate.subject,
    publicKey: keys.publicKey,
    signingKey: issuer.key,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([...usages, x509.ExtendedKeyUsage.clientAuth]),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await privatePem(keys.privateKey) };
}

/** Valid from a little before now, for clocks that differ. */
function validity(): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return {
    // positive: the first byte stays below 0x80
    serialNumber: `01${randomBytes(15).toString("hex")}`,
    notBefore: new Date(now - DAY_MILLISECONDS),
    notAfter: new Date(now + VALID_DAYS * DAY_MILLISECONDS),
  };
}

async function readIssuer(files: CertificateFiles): Promise<Issuer> {
  const key = x509.PemConverter.decodeFirst(await readFile(files.key, "utf8"));
  return {
    certificate: new x509.X509Certificate(await readFile(files.certificate, "utf8")),
    key: await crypto.subtle.importKey("pkcs8", key, ALGORITHM, false, ["sign"]),
  };
}
