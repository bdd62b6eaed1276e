// What went wrong while the cluster was read, in words that say what is missing.
import { isApiError } from "../kube/client";

/** What went wrong, and what can be done about it. */
export function explained(error: unknown, namespace: string): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!isApiError(error, 403)) return message;
  return `${message}\nA preview compares with what the operator keeps: it needs the right to get Secrets and ConfigMaps in namespace ${namespace}, and to get and list what a Database is made of in its own namespace`;
}
