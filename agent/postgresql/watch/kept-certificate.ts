// The pair of certificate and key that the server showed last, on the data volume: where the files that come with the pod do not fit together, as
// they were edited, a server starts with that one (images/postgresql/postgresql-server).
import { createPrivateKey, X509Certificate } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** Certificate and key, in PEM. */
export interface Pair {
  readonly certificate: Buffer | undefined;
  readonly key: Buffer | undefined;
}

export interface KeptCertificateFiles {
  /** Certificate and key in one file: the server takes each of it. */
  readonly kept: string;
  /** By which the server is told to take that instead. */
  readonly instead: string;
}

/** See the header. */
export class KeptCertificate {
  readonly #files: KeptCertificateFiles;

  constructor(files: KeptCertificateFiles) {
    this.#files = files;
  }

  /** Keeps what the server shows. */
  async keep({ certificate = Buffer.of(), key = Buffer.of() }: Pair): Promise<void> {
    const { kept } = this.#files;
    await writeFile(`${kept}.new`, Buffer.concat([certificate, Buffer.from("\n"), key]), { mode: 0o600 });
    await rename(`${kept}.new`, kept);
  }

  /** Before a server reads its files again: from now on it takes what came with the pod, if that fits. */
  async giveUpFor(pair: Pair): Promise<void> {
    if (isPair(pair)) await rm(this.#files.instead, { force: true });
  }
}

/** Whether a server could start with it. */
export function isPair({ certificate = Buffer.of(), key = Buffer.of() }: Pair): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
