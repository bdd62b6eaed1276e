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

/** Finds the engine of this name. */
export function engineOf(name: EngineName): EngineResult {
  switch (name) {
    case "postgresql":
      return { kind: "available", engine: postgresql };
    case "mysql":
      return { kind: "available", engine: mysql };
    case "mongodb":
      return { kind: "available", engine: mongodb };
  }
}
