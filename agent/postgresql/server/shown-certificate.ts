// The certificate that a server shows to those who connect over the network: what is in its files may be another one.
import { once } from "node:events";
import { connect as connectPlainly } from "node:net";
import { connect } from "node:tls";

/** By which PostgreSQL's protocol asks for TLS. */
const request = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const patienceMs = 5_000;

export interface ShownCertificate {
  /** By which it is told from all others. */
  readonly fingerprint: string;
  readonly until: Date;
}

/** Asks for it and hangs up, which the server does not log. Whether it is good is not looked at. */
export async function shownCertificate(port = 5432): Promise<ShownCertificate> {
  const signal = AbortSignal.timeout(patienceMs);
  const plain = connectPlainly({ host: "127.0.0.1", port });
  // what comes after the answer
  plain.on("error", () => undefined);
  try {
    await once(plain, "connect", { signal });
    plain.write(request);
    const [answer] = (await once(plain, "data", { signal })) as [Buffer];
    if (answer.toString() !== "S") throw new Error("the server knows no TLS");
    const secure = connect({ socket: plain, rejectUnauthorized: false });
    secure.on("error", () => undefined);
    await once(secure, "secureConnect", { signal });
    const certificate = secure.getPeerX509Certificate();
    // in order, or the server says that it could not accept the connection
    secure.end();
    await once(secure, "close", { signal });
    if (certificate === undefined) throw new Error("the server shows no certificate");
    return { fingerprint: certificate.fingerprint256, until: certificate.validToDate };
  } finally {
    plain.destroy();
  }
}
