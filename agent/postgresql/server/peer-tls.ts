// How a program secures its way to members, where they let nothing else in. All certificates of a Database are of an authority of its own, so that
// one of these is enough: members are known by addresses, which no certificate is for.
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { authoritiesVariable, peerVariables } from "../../../contract/tls";

/** The file of the authorities: in a member as Patroni is told, in a pod that stays beside it as libpq is. */
const fileVariables = [peerVariables.authorities, "PGSSLROOTCERT"] as const;

/** Read again for each connection, as another authority may have come; undefined where TLS is not required. */
export function peerTls(): ConnectionOptions | undefined {
  const file = fileVariables.map((name) => process.env[name]).find((name) => name !== undefined);
  const authorities = file === undefined ? process.env[authoritiesVariable] : readFileSync(file, "utf8");
  return authorities === undefined ? undefined : trusting(authorities);
}

/** By one of these authorities, in PEM, under whatever name. */
export const trusting = (authorities: string): ConnectionOptions => ({
  ca: authorities,
  checkServerIdentity: () => undefined,
});
