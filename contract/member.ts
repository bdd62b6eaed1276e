// What the operator wants of the members of engines with an agent: written by the components, read by the agent.

/** The key of the ConfigMap `<name>-config`. */
export const memberKey = "member.json";

/** A parameter of the server. */
export interface MemberParameter {
  readonly value: string | number;
  /** Whether only a start of the server applies it. */
  readonly restart: boolean;
}

/** What is under that key, as JSON. */
export interface MemberConfiguration {
  /** How many members there must be. */
  readonly replicas: number;
  readonly parameters: Readonly<Record<string, MemberParameter>>;
  /** From where the superuser may connect. Missing: it stays as it is. MySQL only. */
  readonly superuserAccess?: "Local" | "Network" | undefined;
  /** Set where what the primary writes is kept beside backups, so that it tells how that fares. MySQL only. */
  readonly archived?: true | undefined;
}
