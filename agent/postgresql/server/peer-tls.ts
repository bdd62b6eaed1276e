// How a program secures its way to members. All certificates of a Database are of an authority of its own, so that one of these is enough: members are
// known by addresses, which no certificate is for.
import { existsSync, readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { authoritiesVariable, clientModes, clientModeVariable, peerVariables, tlsFile } from "../../../contract/tls";

export interface PeerTls {
  readonly options: ConnectionOptions;
  /** Whether a member without TLS is none. */
  readonly isRequired: boolean;
}

/** The files of the authorities: in a member as Patroni is told, in a pod that stays beside it as libpq is. */
const fileVariables = [peerVariables.authorities, "PGSSLROOTCERT"] as const;

/** Read again for each connection, as another authority may have come; undefined where there is none. `own`: the file of a member with a certificate. */
export function peerTls(own = tlsFile("authorities")): PeerTls | undefined {
  const authorities = authoritiesBy(own);
  return authorities === undefined ? undefined : { options: trusting(authorities), isRequired: isRequired() };
}

function authoritiesBy(own: string): string | undefined {
  const told = fileVariables.map((name) => process.env[name]).find((name) => name !== undefined);
  if (told !== undefined) return readFileSync(told, "utf8");
  return process.env[authoritiesVariable] ?? (existsSync(own) ? readFileSync(own, "utf8") : undefined);
}

function isRequired(): boolean {
  const { env } = process;
  const isBeside = fileVariables[1] in env || authoritiesVariable in env;
  return isBeside ? env[clientModeVariable] !== clientModes.Prefer : peerVariables.mode in env;
}

/** By one of these authorities, in PEM, under whatever name. */
const trusting = (authorities: string): ConnectionOptions => ({
  ca: authorities,
  checkServerIdentity: () => undefined,
});
