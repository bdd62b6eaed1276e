// Rules of Roles, as all of the platform's are written.
import type * as k8s from "@pulumi/kubernetes";

export type Rule = k8s.types.input.rbac.v1.PolicyRule;

/** The API group of Databases. */
export const DATABASES_GROUP = "example.com";

/** The kinds that are translated to Databases: their API groups and plurals. */
export const COMPANIONS: readonly (readonly [group: string, plural: string])[] = [
  ["postgres.example.com", "postgresqlclusters"],
  ["database.example.com", "sampledbs"],
];

export const READ = ["get", "list", "watch"];

export const rule = (apiGroup: string, resources: string[], verbs: string[]): Rule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});
