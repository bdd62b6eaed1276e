// What members say of the certificate that their server shows: an annotation that agents write on their own pods, and the operator reads.
import { keyPrefix } from "./resources";

/** The annotation; its value is a CertificateNote as JSON. */
export const certificateAnnotation = `${keyPrefix}/certificate`;

/** What a member says. */
export interface CertificateNote {
  /** Until when it is good, RFC 3339. */
  readonly until: string;
}
