// What is said of a Database that begins with the data of a server elsewhere, for which something is missing, or which is open. It is no reason to
// refuse: a Secret may come later.
import type { DatabaseSpec } from "../api/spec";
import { lacksOfServer, type ReadSecretKeys } from "../domain/storage-secrets";
import { importOf } from "../reconcile/import-source";

const path = "spec.initFrom";
const fields = { credentials: `${path}.credentials`, encryption: path, ca: `${path}.tls.ca` } as const;

/** As sentences. */
export async function importWarnings(
  namespace: string,
  spec: DatabaseSpec,
  secretKeys: ReadSecretKeys,
): Promise<readonly string[]> {
  if (spec.initFrom === undefined) return [];
  const { server } = importOf(spec.initFrom, spec);
  const lacks = await lacksOfServer(namespace, server, secretKeys);
  return [
    ...lacks.map(({ of, what, until }) => `${fields[of]}: ${what}; until ${until}, the import waits`),
    ...(server.tls === "Disable"
      ? [
          `${path}.tls.mode: with Disable everything, the password too, is readable on the way; write Verify where you can`,
        ]
      : []),
  ];
}
