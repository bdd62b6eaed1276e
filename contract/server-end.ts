// What a member says of a server that ended without being told to: an annotation that its own program writes on its pod. The container of such a
// server lives, so that Kubernetes says nothing of it.
import { keyPrefix } from "./resources";

/** The annotation; its value is a ServerEndNote as JSON. */
export const serverEndAnnotation = `${keyPrefix}/server-end`;

/** What a member says of the last time. */
export interface ServerEndNote {
  /** How often it has happened in this pod. */
  readonly count: number;
  /** When it happened last, RFC 3339. */
  readonly at: string;
}

/** What people read of it. */
export const serverEndText =
  "its server was killed, or crashed: it ended without a shutdown, and was started again in its pod";
