// The versions of the API, and what a field of the spec is called in each; v1 is the one that is stored.
import { databaseResource, storedVersion } from "../../contract/resources";

/** A version that the API knows. */
export type Version = typeof storedVersion | "v1beta1";

/** Every version, the stored one first. */
export const VERSIONS: readonly Version[] = [storedVersion, "v1beta1"];

/** Fields of the spec by their name in v1: what they are called in v1beta1. Nothing else differs. */
export const BETA_NAMES: Readonly<Record<string, string>> = { engine: "dbType" };

/** `apiVersion` of an object of this version. */
export const apiVersionOf = (version: Version): string => `${databaseResource.group}/${version}`;

/** The names of the spec's fields in `version`, by those in v1; a field that is missing has the same name. */
export const namesIn = (version: Version): Readonly<Record<string, string>> =>
  version === storedVersion ? {} : BETA_NAMES;
