// What the operator asks about engines before it runs anything.
import { Engine } from "../api/spec";
import { settingsOf } from "../../components";
import { engineOf } from "../../components/engines/available";
import type { Engines } from "../ports";
import type { Desired } from "./desired";
import { argsOf } from "./program";

/** What this operator knows of engines. */
export const engines: Engines = {
  available: Engine.options.filter((name) => engineOf(name).kind === "available"),
  parameterProblems({ engine, version }, config) {
    const found = engineOf(engine);
    return found.kind === "available"
      ? found.engine.parameterProblems(config, version).map(({ message }) => message)
      : [];
  },
  electedBy(name) {
    const found = engineOf(name);
    return found.kind === "available" ? found.engine.electedBy : "lease";
  },
};

/** The parameters in effect that a member takes over only by a restart. */
export function restartParameters(desired: Desired): Readonly<Record<string, string>> {
  const found = engineOf(desired.spec.engine);
  if (found.kind === "unavailable") return {};
  return found.engine.restartParameters(settingsOf(desired.owner.name, argsOf(desired)));
}
