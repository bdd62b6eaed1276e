// What a console is told when it starts.
import type { Hono } from "hono";
import type { ConsoleEnv } from "./context";
import type { Doorkeeper } from "./visitor";

/** The first makes the tokens of forms; those of the others are taken, too. */
export type FormKeys = readonly [Buffer, ...Buffer[]];

export interface ConsoleSettings {
  /** Below which path it is served: empty, or with a slash at its begin and none at its end. */
  readonly base: string;
  /** As a browser names it, such as `https://databases.example.com`: forms from elsewhere are refused. */
  readonly origin: string;
  readonly admit: Doorkeeper;
  /** Missing: a key of this process alone. */
  readonly formKeys?: () => FormKeys;
  /** Routes for those who are not known yet, and what is looked at before anything else. */
  readonly before?: (app: Hono<ConsoleEnv>) => void;
  readonly now: () => Date;
  /** How many pages may follow changes: of one visitor, and of all. Each has a watch or two at the API server. */
  readonly followers: { readonly perVisitor: number; readonly all: number };
  /** Ends what has no end of its own. */
  readonly stopped: AbortSignal;
  /** For the log of who runs it: never a header, a token or a page. */
  readonly onError: (path: string, error: unknown) => void;
}
