// What pods have of the TLS of their Database.
import { dirname } from "node:path/posix";
import {
  authoritiesVariable,
  clientAuthorityFile,
  clientModeKey,
  clientModes,
  clientModeVariable,
  tlsDirectory,
  tlsKeys,
} from "../contract/tls";
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

/** How members are connected to, as libpq says it. */
const clientModeOf = ({ tls }: Pick<Settings, "tls">): string | undefined =>
  tls === "Off" ? undefined : clientModes[tls];

/** The volume of a pod that stays, and connects to members: what they are known by, as it is now. */
export const authorityVolumes = (settings: Settings): Volume[] =>
  hasTls(settings)
    ? [{ name: authorities, secret: { secretName: authoritySecretName(settings.name), defaultMode: 0o444 } }]
    : [];

/** Where it is. */
export const authorityMounts = (settings: Settings): Readonly<Record<string, string>> =>
  hasTls(settings) ? { [authorities]: dirname(clientAuthorityFile) } : {};

/** What such a pod is told: libpq reads it itself. */
export function authorityEnvironment(settings: Settings): Environment {
  const mode = clientModeOf(settings);
  return mode === undefined ? {} : { [clientModeVariable]: mode, PGSSLROOTCERT: clientAuthorityFile };
}

/** What a Job is told that connects to members: where they are to be known, by a Secret, as another Job would run again when only that changes. */
export const tlsEnvironment = (settings: Settings): Environment =>
  hasTls(settings)
    ? {
        [authoritiesVariable]: fromSecret(authoritySecretName(settings.name), tlsKeys.authorities),
        [clientModeVariable]: fromSecret(authoritySecretName(settings.name), clientModeKey),
      }
    : {};

/** The same, as the values of that Secret. */
export function clientModeValues(settings: Settings): Readonly<Record<string, string>> {
  const mode = clientModeOf(settings);
  return mode === undefined ? {} : { [clientModeKey]: mode };
}
