// The server that a new Database imports from, and what of its Secrets is missing. Whether it answers is for the Job to find out: nothing here dials an engine.
import { factsOf } from "../../contract/engines";
import type { InitFrom } from "../api/init-from";
import type { DatabaseSpec } from "../api/spec";
import type { DesiredRestore } from "../domain/restore";

/** As it is noted. */
export function importOf(
  { host, port, databases, credentials, tls }: InitFrom,
  { engine }: Pick<DatabaseSpec, "engine">,
): Extract<DesiredRestore, { readonly server: unknown }> {
  return {
    server: {
      host,
      port: port ?? factsOf(engine).port,
      databases,
      credentials: credentials.name,
      tls: tls.mode,
      ...(tls.ca !== undefined && { ca: tls.ca.name }),
    },
  };
}
