// What the operator asks about engines before it runs anything.
import { Engine } from "../api/spec";
import { settingsOf } from "../../components";
import { engineOf } from "../../components/engines/available";
import type { Engines } from "../ports";
import type { Desired } from "./desired";
import { argsOf } from "./program";

/** The engines that this operator can run. */
export const availableEngines: readonly Engine[] = Engine.options.filter((name) => engineOf(name).kind === "available");

/** What lets a member of this engine lead. */
export function electedBy(name: Engine): ReturnType<Engines["electedBy"]> {
  const found = engineOf(name);
  return found.kind === "available" ? found.engine.electedBy : "lease";
}

/** Why these parameters cannot be set, one line each. */
export function parameterProblems(
  { engine, version }: { readonly engine: Engine; readonly version: string },
  config: Readonly<Record<string, string>>,
): readonly string[] {
  const found = engineOf(engine);
  return found.kind === "available"
    ? found.engine.parameterProblems(config, version).map(({ message }) => message)
    : [];
}

/** The parameters in effect that a member takes over only by a restart. */
export function restartParameters(desired: Desired): Readonly<Record<string, string>> {
  const found = engineOf(desired.spec.engine);
  if (found.kind === "unavailable") return {};
  return found.engine.restartParameters(settingsOf(desired.owner.name, argsOf(desired)));
}
