// The key and the certificate by which the programs of one Database's backups know each other: a function of a key that they share. So they
// are the same in every pod, and nothing has to issue, hand out or renew them.
import { createPrivateKey, createPublicKey, hkdfSync, sign } from "node:crypto";

/** What a program proves who it is with; both in PEM. */
export interface Identity {
  readonly key: string;
  readonly certificate: string;
}

/** Whom a certificate is for: the name of the subject, and the hosts. */
export interface Subject {
  readonly name: string;
  /** May begin with `*.`. */
  readonly host: string;
}

/** Of the key's length in Ed25519. */
const seedBytes = 32;

/** Deterministic: Ed25519 has no randomness in its signatures, and there is neither a serial number nor a time that would differ. */
export function identityOf(shared: string, { name, host }: Subject): Identity {
  const seed = Buffer.from(hkdfSync("sha256", shared, "", "database-backup identity", seedBytes));
  // RFC 8410: a private key in PKCS #8 is this prefix and the seed
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  const signed = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    algorithm,
    nameOf(name),
    sequence(...validity),
    nameOf(name),
    spki,
    tagged(0xa3, sequence(alternativeName(host))),
  );
  const signature = sign(null, signed, key);
  const certificate = sequence(signed, algorithm, tagged(0x03, Buffer.concat([Buffer.of(0), signature])));
  return { key: pem("PRIVATE KEY", pkcs8), certificate: pem("CERTIFICATE", certificate) };
}

/** DER: a tag, the length and the contents. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const bytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...bytes), contents]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const integer = (value: number): Buffer => tagged(0x02, Buffer.of(value));
const algorithm = sequence(Buffer.from("06032b6570", "hex"));
const commonName = Buffer.from("0603550403", "hex");
const nameOf = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(commonName, tagged(0x0c, Buffer.from(name, "utf8")))));

/** Always: who must not be trusted any more is given another key. The last second is the one that RFC 5280 has for that. */
const validity = ["20000101000000Z", "99991231235959Z"].map((time, index) =>
  index === 0 ? tagged(0x17, Buffer.from(time.slice(2))) : tagged(0x18, Buffer.from(time)),
);

const subjectAlternativeName = Buffer.from("0603551d11", "hex");
const alternativeName = (host: string): Buffer =>
  sequence(subjectAlternativeName, tagged(0x04, sequence(tagged(0x82, Buffer.from(host, "ascii")))));

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----\n`;
