// What issues certificates of Databases, and notes how often it was asked.
import type { Issued, ServerCertificates } from "../../operator/domain/ports";

export class FakeCertificates implements ServerCertificates {
  /** What members are known by. */
  issued: Issued = {
    pem: { authorities: "authorities", certificate: "certificate", key: "key" },
    issuance: {
      due: "2026-03-02T00:00:00.000Z",
      certificateUntil: "2026-04-01T00:00:00.000Z",
      authorityUntil: "2036-01-01T00:00:00.000Z",
    },
  };
  asked = 0;
  removed = 0;

  ensure(): Promise<Issued> {
    this.asked++;
    return Promise.resolve(this.issued);
  }

  remove(): Promise<void> {
    this.removed++;
    return Promise.resolve();
  }
}
