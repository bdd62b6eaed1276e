// Which engines are available: the answer is a closed union, so that callers cannot forget the other case.
import type { EngineName } from "../../contract/engines";
import type { Engine } from "./engine";
import { mongodb } from "./mongodb";
import { mysql } from "./mysql";
import { postgresql } from "./postgresql";

/** An engine, or the reason why there is none: the API may know an engine before it can be run. */
export type EngineResult =
  | { readonly kind: "available"; readonly engine: Engine }
  | { readonly kind: "unavailable"; readonly name: EngineName; readonly message: string };

/** The engines; undefined for one that cannot be run yet. */
const available: Readonly<Record<EngineName, Engine | undefined>> = { postgresql, mysql, mongodb };

/** Finds the engine of this name. */
export function engineOf(name: EngineName): EngineResult {
  const engine = available[name];
  return engine === undefined
    ? { kind: "unavailable", name, message: `${name} cannot be run yet` }
    : { kind: "available", engine };
}

/** Those that can be run. */
export const availableEngines: readonly Engine[] = Object.values(available).filter((engine) => engine !== undefined);
