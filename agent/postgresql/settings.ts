// What the pod tells the programs beside Patroni, by the same variables as Patroni.
import { required } from "../environment";

/** By whom to connect. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Settings of a member that never change while its pod lives. */
export interface MemberSettings {
  /** Name of this member's pod. */
  readonly self: string;
  /** Name of the Database. */
  readonly database: string;
  readonly namespace: string;
  readonly dataDirectory: string;
  /** The labels by which pods of the Database, and among them its primary, are found. */
  readonly labels: {
    readonly database: string;
    readonly role: string;
    readonly primary: string;
    readonly replica: string;
  };
  readonly superuser: Credentials;
  readonly replication: Credentials;
}

/** Reads them. Throws an Error that names what is missing. */
export function memberSettings(): MemberSettings {
  return {
    self: ownName(),
    database: required("PATRONI_SCOPE"),
    namespace: required("PATRONI_KUBERNETES_NAMESPACE"),
    dataDirectory: required("PATRONI_POSTGRESQL_DATA_DIR"),
    labels: {
      database: required("PATRONI_KUBERNETES_SCOPE_LABEL"),
      role: required("PATRONI_KUBERNETES_ROLE_LABEL"),
      primary: required("PATRONI_KUBERNETES_LEADER_LABEL_VALUE"),
      replica: required("PATRONI_KUBERNETES_FOLLOWER_LABEL_VALUE"),
    },
    superuser: credentialsOf("SUPERUSER"),
    replication: credentialsOf("REPLICATION"),
  };
}

/** The name of this member's pod. */
export const ownName = (): string => required("PATRONI_NAME");

/** By whom Patroni takes orders. */
export const restCredentials = (): Credentials => credentialsOf("RESTAPI");

function credentialsOf(role: string): Credentials {
  return { user: required(`PATRONI_${role}_USERNAME`), password: required(`PATRONI_${role}_PASSWORD`) };
}
