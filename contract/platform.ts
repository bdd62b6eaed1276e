// What the platform installs for the operator, by name: each has to find what the other created.

/** What the operator is called: its Deployment, what is created beside it, and "managed-by" on all that it creates. */
export const operatorName = "database-operator";

/** The operator's namespace, where nothing else is said. */
export const defaultNamespace = "database-operator-system";

/** The Lease that the leader holds. */
export const leaseName = "database-operator-leader";

/** The Service in front of the webhooks, and the paths there. */
export const webhookService = {
  name: "database-conversion-webhook",
  port: 443,
  conversionPath: "/convert",
  validationPath: "/validate",
  authorPath: "/author",
} as const;

/** Where the API server says by which certificate it is known, and which headers name the person that it asks for. */
export const apiServerAuthentication = {
  namespace: "kube-system",
  configMap: "extension-apiserver-authentication",
  reader: "extension-apiserver-authentication-reader",
} as const;

/** The ConfigMap from which the operator takes its catalogue, and the key in it. */
export const catalogueMap = { name: "database-operator-catalogue", key: "catalogue.json" } as const;
