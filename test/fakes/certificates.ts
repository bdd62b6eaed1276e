// What issues certificates of Databases, and notes how often it was asked.
import type { CertificateCircumstances, Issued, ServerCertificates } from "../../operator/domain/ports";

export class FakeCertificates implements ServerCertificates {
  /** What members are known by. */
  issued: Issued = {
    pem: { authorities: "authorities", certificate: "certificate", key: "key" },
    issuance: {
      due: "2026-03-02T00:00:00.000Z",
      certificateFrom: "2025-12-31T23:00:00.000Z",
      certificateUntil: "2026-04-01T00:00:00.000Z",
      authorityUntil: "2036-01-01T00:00:00.000Z",
    },
    fingerprints: ["of the certificate", "of the authority"],
  };
  asked = 0;
  /** Since when what was published could be read, as it was said last. */
  published: Readonly<Record<string, string>> | undefined;
  removed = 0;
  /** Whether a run that fails comes so far. */
  isThere = false;

  ensure(_key: string, { published }: CertificateCircumstances = {}): Promise<Issued> {
    this.asked++;
    this.published = published;
    return Promise.resolve(this.issued);
  }

  /** What was written without a run. */
  readonly alone: Issued["pem"][] = [];

  publish(_key: string, { pem }: Pick<Issued, "pem">): Promise<void> {
    this.alone.push(pem);
    return Promise.resolve();
  }

  isPublished(): Promise<boolean> {
    return Promise.resolve(this.isThere);
  }

  remove(): Promise<void> {
    this.removed++;
    return Promise.resolve();
  }
}
