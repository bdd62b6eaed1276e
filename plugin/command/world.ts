// What verbs need of the world around them; tests put another one in its place.

/** Where a request goes, and as whom. */
export interface Reach {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly as: string | undefined;
  readonly groups: readonly string[];
}

/** Query of a request. */
export type Query = Readonly<Record<string, string>>;

/** The API server as the person may use it. Rejects with an ApiFailure for its refusals. */
export interface Cluster {
  /** Of the context; `default` where it names none. */
  readonly namespace: string;
  /** The one that led to it; undefined where there is no kubeconfig, as in a pod. */
  readonly context: string | undefined;
  /** `signal` ends the wait for an answer. */
  get(path: string, query?: Query, signal?: AbortSignal): Promise<unknown>;
  create(path: string, body: unknown): Promise<unknown>;
  /** A merge patch. */
  patch(path: string, body: unknown, query?: Query): Promise<unknown>;
  /** Each line of a watch, until the server ends it or `signal` aborts it. */
  watch(path: string, query: Query, signal: AbortSignal): AsyncGenerator;
}

/** How kubectl ended. */
export interface KubectlEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface World {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  readonly ask: (question: string) => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  readonly open: (reach: Reach) => Promise<Cluster>;
  /** Names of the kubeconfig's contexts. */
  readonly contexts: (kubeconfig: string | undefined) => Promise<readonly string[]>;
  /** Ends what has no end of its own. */
  readonly stopped: AbortSignal;
  /** A file's text; of `-` standard input. */
  readonly read: (file: string) => Promise<string>;
  readonly kubectl: (args: readonly string[], input: string) => Promise<KubectlEnd>;
}

/** What the API server, or the way to it, answered instead. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";

  constructor(
    /** HTTP status; 0 where there was no answer. */
    readonly status: number,
    /** The reason of the Status object, for example `NotFound`; empty where there was none. */
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** An API server that is restarted, or has too much to do, answers later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status === 429 || error.status >= 500);

export const isFailure = (error: unknown, status: number): boolean =>
  error instanceof ApiFailure && error.status === status;
