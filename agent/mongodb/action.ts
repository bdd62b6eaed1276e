// What a member can do for its replica set.
import type { Configuration, Change } from "./configuration";

/** The next step of a member. One step at a time: the next decision is made from a new observation. */
export type Action =
  | { readonly kind: "wait"; readonly why: string }
  /** Nothing, and it will not resolve itself. */
  | { readonly kind: "person"; readonly why: string }
  /** Write a token into the own data volume, and then into the record, if that is still at `version`. */
  | { readonly kind: "claim"; readonly version: string }
  | { readonly kind: "initiate"; readonly configuration: Configuration }
  | { readonly kind: "createAdministrator" }
  | { readonly kind: "reconfigure"; readonly configuration: Configuration; readonly change: Change }
  | { readonly kind: "stepDown" };
