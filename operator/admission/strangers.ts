// What is read for callers of whom nothing is known: any pod that reaches the port can send a review.
import type { AdmissionReads } from "./verdict";

/**
 * Nothing of Secrets: a review names any namespace, and is read with the operator's rights, so that the caller would learn which Secrets there are,
 * and which keys they have. What is missing of one is in the conditions of the Database, and in its preview.
 */
export const readsForStrangers = (reads: AdmissionReads): AdmissionReads => ({
  ...reads,
  secretKeys: () => Promise.resolve("hidden"),
});
