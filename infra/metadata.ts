// Names, labels and Pulumi annotations of the platform's own objects.
import { operatorName } from "../contract/platform";

/** The Role that lets operators elect a leader, and its binding. */
export const LEADER_ELECTION_NAME = `${operatorName}-leader-election`;
/** The Role over the operator's own records, and its binding. */
export const RECORDS_NAME = `${operatorName}-records`;
/** The Service of the operator's metrics; with the Prometheus operator also their job. */
export const METRICS_NAME = `${operatorName}-metrics`;

/** Selects the operator's pods. */
export const operatorSelector: Readonly<Record<string, string>> = {
  "app.kubernetes.io/name": operatorName,
  "app.kubernetes.io/component": "operator",
};

/** Labels of every object of the platform. */
export const platformLabels: Readonly<Record<string, string>> = {
  "app.kubernetes.io/name": operatorName,
  "app.kubernetes.io/part-of": operatorName,
  "app.kubernetes.io/managed-by": "pulumi",
};

/** A fixed field manager: the platform takes up again what `pulumi destroy` left, and what `make install` created. */
export const platformAnnotations: Readonly<Record<string, string>> = {
  "pulumi.com/patchFieldManager": `${operatorName}-platform`,
  "pulumi.com/patchForce": "true",
  "pulumi.com/deletionPropagationPolicy": "background",
};
