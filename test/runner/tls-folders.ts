// Folders and files, below the root, that decide about TLS of PostgreSQL.
import { postgresql } from "./folders";

export const ofTls = [
  ...[...postgresql, "components/tls.ts", "components/server-certificates.ts", "contract/tls.ts"],
  ...["operator/certificates", "operator/kube/server-certificates.ts", "operator/kube/certificate-note.ts"],
  ...["operator/reconcile/tls.ts", "operator/reconcile/tls-before.ts", "operator/reconcile/renewal.ts"],
];
