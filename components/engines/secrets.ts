// The Secrets of a Database, as variables of its containers.
import { application } from "../../contract/defaults";
import { credentialsSecretName, systemSecretKeys, systemSecretName } from "../naming";
import { fromSecret, type Environment, type EnvironmentSource } from "../pod";

/** A password of the members themselves. */
export const systemSecret = (name: string, key: keyof typeof systemSecretKeys): EnvironmentSource =>
  fromSecret(systemSecretName(name), systemSecretKeys[key]);

/** The account that applications use, and their database. */
export const applicationAccount = (name: string): Environment => ({
  APP_USER: application.username,
  APP_DATABASE: application.database,
  APP_PASSWORD: fromSecret(credentialsSecretName(name), "password"),
});
