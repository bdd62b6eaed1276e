// What random edits choose from: values that a person may well write, and that the engine's servers start with.
import { byEngine } from "../../contract/engines";
import type { DatabaseSpecInput, Engine } from "../../operator/api/spec";
import { samples } from "../engines/all";

/** Where a course of edits takes place. */
export interface Grounds {
  readonly engine: Engine;
  /** In the catalogue, of one major version, the lowest first. */
  readonly versions: readonly string[];
  /** Numbers of members. */
  readonly replicas: readonly number[];
  /** Memory and processors of members: some that nodes have room for, and some that none has. */
  readonly memory: Sizes;
  readonly cpu: Sizes;
  /** Parameters with their values, and ConfigMaps with more of them; empty where the image takes none. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly configMaps: readonly string[];
  /** What the Database has at first, beside what every first spec has. Default: nothing. */
  readonly first?: Partial<DatabaseSpecInput>;
}

export interface Sizes {
  readonly usual: readonly string[];
  /** What members may use at most, none below what they start with in time. Default: the usual sizes. */
  readonly limits?: readonly string[];
  /** Set where nodes may have no room for the default. */
  readonly isAlwaysGiven?: true;
  readonly impossible: readonly string[];
}

/** ConfigMaps that every course finds in its namespace, with the parameters in them, by engine. */
export const tuning: Readonly<Record<Engine, Readonly<Record<string, Readonly<Record<string, string>>>>>> = byEngine(
  (engine) => samples[engine].edits.tuning,
);
