// The versions of the API, and what a field of the spec is called in each; v1 is the one that is stored.

/** The API group of a Database. */
export const GROUP = "example.com";

/** A version that the API knows. */
export type Version = "v1" | "v1beta1";

/** The version that is stored, and that the operator speaks. */
export const STORED_VERSION = "v1";

/** Every version, the stored one first. */
export const VERSIONS: readonly Version[] = [STORED_VERSION, "v1beta1"];

/** Fields of the spec by their name in v1: what they are called in v1beta1. Nothing else differs. */
export const BETA_NAMES: Readonly<Record<string, string>> = { engine: "dbType" };

/** `apiVersion` of an object of this version. */
export const apiVersionOf = (version: Version): string => `${GROUP}/${version}`;

/** The names of the spec's fields in `version`, by those in v1; a field that is missing has the same name. */
export const namesIn = (version: Version): Readonly<Record<string, string>> =>
  version === STORED_VERSION ? {} : BETA_NAMES;
