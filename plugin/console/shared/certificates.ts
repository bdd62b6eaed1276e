// The certificates of the shared console as they are mounted: renewed ones are served without a restart.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface CertificateFiles {
  /** The server's own certificate and key. */
  readonly cert: string;
  readonly key: string;
  /** The authorities that sign the proxy's. */
  readonly ca: string;
}

/** What is in the files. */
export type CertificateTexts = CertificateFiles;

export interface Following {
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Throws where they are none, such as a certificate with the key of another. `all`: an authority is trusted no more. */
  readonly renew: (next: CertificateTexts, ends: "none" | "all") => void;
  readonly onError: (error: unknown) => void;
}

export class Certificates {
  #current: CertificateTexts;

  constructor(private readonly files: CertificateFiles) {
    this.#current = textsOf(files);
  }

  get current(): CertificateTexts {
    return this.#current;
  }

  /** They are read again each time: no watch tells all the ways in which a mounted Secret is replaced. */
  async follow({ everyMs, signal, renew, onError }: Following): Promise<void> {
    const isOver = (): Promise<boolean> => sleep(everyMs, false, { signal, ref: false }).catch(() => true);
    while (!(await isOver())) {
      try {
        this.#take(textsOf(this.files), renew);
      } catch (error) {
        // half of them may have been replaced: what is served stays until the next look
        onError(error);
      }
    }
  }

  #take(next: CertificateTexts, renew: Following["renew"]): void {
    if (isSame(next, this.#current)) return;
    renew(next, isTrustLost(this.#current.ca, next.ca) ? "all" : "none");
    this.#current = next;
  }
}

const textsOf = ({ cert, key, ca }: CertificateFiles): CertificateTexts => ({
  ...{ cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8"), ca: readFileSync(ca, "utf8") },
});

const isSame = (a: CertificateTexts, b: CertificateTexts): boolean =>
  a.cert === b.cert && a.key === b.key && a.ca === b.ca;

const authoritiesIn = (bundle: string): readonly string[] =>
  bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];

/** Whether a connection may be open by the word of an authority that is in the bundle no more. */
function isTrustLost(before: string, after: string): boolean {
  const kept = new Set(authoritiesIn(after));
  return authoritiesIn(before).some((authority) => !kept.has(authority));
}
