// What the measurement must know of an engine: how to talk to it, and what shows that its members are complete.

/** Where a server is, and who asks. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/** The server answered a statement with an error and serves the connection on. */
export class StatementRefused extends Error {
  override readonly name = "StatementRefused";
}

/** One connection. After any error other than `StatementRefused` it is of no more use. */
export interface Session {
  /** Runs a statement and returns its rows. */
  run(statement: string): Promise<readonly unknown[][]>;
  /** Ends the connection at once, whatever is in progress. */
  destroy(): void;
}

/** How a commit waits for other members. */
export type Replication = "asynchronous" | "synchronous" | "group";

/** What shows how a Database replicates. */
export interface Evidence {
  /** A connection to the primary. */
  readonly primary: Session;
  /** How many members there are beside it. */
  readonly replicas: number;
  /** Annotations of the object in which the engine's consensus keeps its state, as `components/naming.ts` names it. */
  readonly annotationsOf: (consensusObject: string) => Promise<Readonly<Record<string, string>>>;
}

export interface TestedEngine {
  readonly name: "postgresql" | "mysql";
  /** What can be chosen; each is measured. */
  readonly replications: readonly Replication[];
  /** The part of a Database's spec that chooses it. */
  specOf(replication: Replication): Readonly<Record<string, unknown>>;
  /** Name of the server's main process; those that it starts itself may have the same name. */
  readonly process: string;
  /** Name of the process that decides in each member who leads. */
  readonly agent: string;
  /** Connects and authenticates; after `withinMs` it gives up. */
  connect(target: Target, withinMs: number): Promise<Session>;
  /** What stands for a minor upgrade: another version, or the same one in an image of another name. */
  readonly minorUpgrade: "next version" | "rebuilt image";
  /** The server parameter that shows its version, with whatever the server adds behind it. */
  readonly versionParameter: string;
  /** Reads a server parameter. */
  settingStatement(parameter: string): string;
  /** A parameter that only a restart changes, and which does nothing to this load. */
  readonly restartParameter: { readonly name: string; readonly valueOf: (step: number) => string };
  /** Statements that begin a transaction of the strictest isolation. */
  readonly begin: readonly string[];
  /** Appends a value to one of the lists of `consistency/lists.ts`; the first value creates the list. */
  appendStatement(table: string, key: number, value: number): string;
  /** What a commit that the server refused leaves: nothing, or it is not known. */
  readonly refusedCommit: "aborted" | "unknown";
  /** Whether the server says of itself that it takes no writes. One that does not say so may still refuse them. */
  isReadOnly(session: Session): Promise<boolean>;
  /** Whether commits wait for any of the others, as they must, and all of these may take over. */
  isReplicating(replication: Replication, evidence: Evidence): Promise<boolean>;
}
