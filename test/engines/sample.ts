// What tests must know of an engine to try it like every other: typical Databases, and values that its servers start with.
import type { DatabaseArgs } from "../../components";

type Texts = Readonly<Record<string, string>>;

export interface EngineSample {
  /** A version of the server, as a spec has it. */
  readonly version: string;
  /** In which ConfigMaps `<name>-<object>` its consensus keeps its state: written down a second time, to judge the operator by. */
  readonly consensusObjects: readonly string[];
  /** Databases by case, of which the goldens are recorded: at least the smallest and the largest. Engine, version and image are filled in. */
  readonly goldens: Readonly<Record<string, Partial<DatabaseArgs>>>;
  /** What random edits choose from. */
  readonly edits: {
    /** Numbers of members. */
    readonly replicas: readonly number[];
    /** Parameters with values, some that running members apply and some that only a restart does. */
    readonly parameters: Readonly<Record<string, readonly string[]>>;
    /** Parameters in two ConfigMaps: one that running members apply, and one that only a restart does. */
    readonly tuning: { readonly "tuning-running": Texts; readonly "tuning-restart": Texts };
  };
}
