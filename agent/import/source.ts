// The server elsewhere whose data are imported, as the pod names it.
import { readFile, writeFile } from "node:fs/promises";
import { rootCertificates, type ConnectionOptions } from "node:tls";
import { z } from "zod";
import { sourceVariables, tlsModes, type TlsMode } from "../../contract/import";
import { required, requiredNumber } from "../environment";

/** See the header. */
export interface Source {
  readonly host: string;
  readonly port: number;
  readonly databases: readonly string[];
  readonly username: string;
  readonly password: string;
  readonly tls: TlsMode;
  /** Authorities of its certificate, in PEM. */
  readonly authorities: string;
}

/** Reads it. Throws an Error that names what is missing. */
export async function sourceOf(): Promise<Source> {
  const file = process.env[sourceVariables.authority];
  return {
    host: required(sourceVariables.host),
    port: requiredNumber(sourceVariables.port),
    databases: z
      .array(z.string())
      .min(1)
      .parse(JSON.parse(required(sourceVariables.databases))),
    username: required(sourceVariables.username),
    password: required(sourceVariables.password),
    tls: z.enum(tlsModes).parse(required(sourceVariables.tls)),
    authorities: file === undefined ? rootCertificates.join("\n") : await authoritiesIn(file),
  };
}

/** The Secret may have lost its key since the operator looked. */
const authoritiesIn = (file: string): Promise<string> =>
  readFile(file, "utf8").catch(() => {
    throw new Error(`there is no ${file}: the Secret of initFrom.tls.ca must have that key`);
  });

/** For people, and to tell one import from another: the same in each attempt. */
export const titleOf = ({ host, port, databases }: Pick<Source, "host" | "port" | "databases">): string =>
  `${databases.join(", ")} of ${host}:${port}`;

/** How a driver secures the way; undefined where it does not. */
export const tlsOptionsOf = ({ host, tls, authorities }: Source): ConnectionOptions | undefined =>
  // the name is given for addresses, too, by which a certificate is compared
  tls === "Disable" ? undefined : { host, ca: authorities, rejectUnauthorized: tls === "Verify" };

/** Writes the authorities where programs read them. */
export async function writeAuthorities({ authorities }: Source, file: string): Promise<void> {
  await writeFile(file, authorities, { mode: 0o600 });
}
