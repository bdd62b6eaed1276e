// Writes the files by which the Job and the servers beside members know each other, and the settings of such a server.
import { mkdir, writeFile } from "node:fs/promises";
import { backupServer, scratchDirectory } from "../../../contract/object-storage";
import { required } from "../../environment";
import { identityOf } from "./certificate";

/** The host of a member, by the name of its pod. */
export const hostOf = (member: string, { database, namespace }: Place): string =>
  `${member}.${database}-headless.${namespace}.svc`;

/** Whose members. */
export interface Place {
  readonly database: string;
  readonly namespace: string;
}

/** As the pod says it. Throws where it does not. */
export const ownPlace = (): Place => ({ database: required("DATABASE_NAME"), namespace: required("NAMESPACE") });

/** Of the server: who has its own certificate may read every cluster, which is one. */
export const serverSettings = (): string =>
  Object.entries({
    "tls-server-address": "*",
    "tls-server-port": backupServer.port,
    "tls-server-ca-file": backupServer.certificate,
    "tls-server-cert-file": backupServer.certificate,
    "tls-server-key-file": backupServer.key,
    "tls-server-auth": `${backupServer.name}=*`,
    "lock-path": `${scratchDirectory}/lock`,
    "spool-path": `${scratchDirectory}/spool`,
    "log-level-file": "off",
    "log-level-console": "warn",
  }).reduce((text, [name, value]) => `${text}${name}=${value}\n`, "[global]\n");

/** Writes key and certificate. */
export async function writeIdentity(place: Place): Promise<void> {
  const subject = { name: backupServer.name, host: hostOf("*", place) };
  const { key, certificate } = identityOf(required(backupServer.keyVariable), subject);
  await mkdir(scratchDirectory, { recursive: true, mode: 0o700 });
  await writeFile(backupServer.key, key, { mode: 0o600 });
  await writeFile(backupServer.certificate, certificate, { mode: 0o600 });
}

/** The program before the server. */
export async function prepareServer(): Promise<void> {
  await writeIdentity(ownPlace());
  await writeFile(backupServer.settings, serverSettings(), { mode: 0o600 });
}
