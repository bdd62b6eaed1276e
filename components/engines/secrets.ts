// The Secrets of a Database, as variables of its containers.
import { credentialsSecretName, systemSecretKeys, systemSecretName } from "../naming";
import { fromSecret, type EnvironmentSource } from "../pod";

/** A password of the members themselves. */
export const systemSecret = (name: string, key: keyof typeof systemSecretKeys): EnvironmentSource =>
  fromSecret(systemSecretName(name), systemSecretKeys[key]);

/** The password of the account that applications use. */
export const applicationPassword = (name: string): EnvironmentSource =>
  fromSecret(credentialsSecretName(name), "password");
