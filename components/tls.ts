// What pods have of the TLS of their Database.
import { dirname } from "node:path/posix";
import { authoritiesVariable, clientAuthorityFile, tlsDirectory, tlsKeys } from "../contract/tls";
import { authoritySecretName, tlsSecretName } from "./naming";
import { fromSecret, type Environment, type Volume } from "./pod";
import type { Settings } from "./settings";

/** Whether members have a certificate. */
export const hasTls = ({ tls }: Pick<Settings, "tls">): boolean => tls !== "Off";

/** Whether nothing goes over the network without TLS. */
export const requiresTls = ({ tls }: Pick<Settings, "tls">): boolean => tls === "Require";

const volume = "tls";

/** The volume of a member's pod. Its files are for the group of the pod: a server refuses a key that more may read. */
export const tlsVolumes = (settings: Settings): Volume[] =>
  hasTls(settings) ? [{ name: volume, secret: { secretName: tlsSecretName(settings.name), defaultMode: 0o440 } }] : [];

/** Where it is. */
export const tlsMounts = (settings: Settings): Readonly<Record<string, string>> =>
  hasTls(settings) ? { [volume]: tlsDirectory } : {};

const authorities = "authorities";

/** The volume of a pod that stays, and connects to members: what they are known by, as it is now. */
export const authorityVolumes = (settings: Settings): Volume[] =>
  requiresTls(settings)
    ? [{ name: authorities, secret: { secretName: authoritySecretName(settings.name), defaultMode: 0o444 } }]
    : [];

/** Where it is. */
export const authorityMounts = (settings: Settings): Readonly<Record<string, string>> =>
  requiresTls(settings) ? { [authorities]: dirname(clientAuthorityFile) } : {};

/** What such a pod is told: libpq reads it itself. */
export const authorityEnvironment = (settings: Settings): Environment =>
  requiresTls(settings) ? { PGSSLMODE: "verify-ca", PGSSLROOTCERT: clientAuthorityFile } : {};

/** What a Job is told that connects to members. */
export const tlsEnvironment = (settings: Settings): Environment =>
  requiresTls(settings)
    ? { [authoritiesVariable]: fromSecret(authoritySecretName(settings.name), tlsKeys.authorities) }
    : {};
