// Who a request is from.
import type { HttpBindings } from "@hono/node-server";
import type { Person } from "../access/person";

/** What tells who it is. */
export interface Knock {
  readonly header: (name: string) => string | undefined;
  readonly cookie: (name: string) => string | undefined;
  /** The connection that it came over; undefined where a test has none. */
  readonly incoming: HttpBindings["incoming"] | undefined;
}

/** One who has shown who they are. */
export interface Visitor {
  readonly person: Person;
  /** What tells this visitor from others: forms carry a token that is made of it. */
  readonly key: string;
  /** Forgets what is kept of them: the API server does not know them any more. */
  readonly forget: () => void;
}

export type Admission =
  | { readonly kind: "visitor"; readonly visitor: Visitor }
  /** It is not known who asks: what to do about that. */
  | { readonly kind: "unknown"; readonly sentences: readonly string[] }
  /** It is known, and this console is not for them. */
  | { readonly kind: "refused"; readonly sentences: readonly string[] };

/** How visitors are told from others; it rejects where the way to the API server cannot be opened. */
export type Doorkeeper = (knock: Knock) => Promise<Admission>;
