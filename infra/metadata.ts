// Names, labels and Pulumi annotations of the platform's own objects.

/** The name of everything that exists once: Deployment, ServiceAccount, roles. */
export const OPERATOR_NAME = "database-operator";

/** The Role that lets operators elect a leader, and its binding. */
export const LEADER_ELECTION_NAME = `${OPERATOR_NAME}-leader-election`;

/** The Lease that the leader holds. */
export const LEASE_NAME = `${OPERATOR_NAME}-leader`;

/** The Role over the operator's own records, and its binding. */
export const RECORDS_NAME = `${OPERATOR_NAME}-records`;

/** The ConfigMap from which the operator takes its catalogue, and the key in it. */
export const CATALOGUE_NAME = `${OPERATOR_NAME}-catalogue`;
export const CATALOGUE_KEY = "catalogue.json";

/** The Service of the operator's metrics; with the Prometheus operator also their job. */
export const METRICS_NAME = `${OPERATOR_NAME}-metrics`;

/** Selects the operator's pods. */
export const operatorSelector: Readonly<Record<string, string>> = {
  "app.kubernetes.io/name": OPERATOR_NAME,
  "app.kubernetes.io/component": "operator",
};

/** Labels of every object of the platform. */
export const platformLabels: Readonly<Record<string, string>> = {
  "app.kubernetes.io/name": OPERATOR_NAME,
  "app.kubernetes.io/part-of": OPERATOR_NAME,
  "app.kubernetes.io/managed-by": "pulumi",
};

/** A fixed field manager: the platform takes up again what `pulumi destroy` left, and what `make install` made. */
export const platformAnnotations: Readonly<Record<string, string>> = {
  "pulumi.com/patchFieldManager": `${OPERATOR_NAME}-platform`,
  "pulumi.com/patchForce": "true",
  "pulumi.com/deletionPropagationPolicy": "background",
};
