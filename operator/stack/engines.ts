// What the operator asks about engines before it runs anything.
import { valueOf } from "../api/quantity";
import { Engine, type DatabaseSpec } from "../api/spec";
import { settingsOf, type Resources, type Settings } from "../../components";
import type { Engines } from "../domain/engines";
import { engineOf } from "../../components/engines/available";
import { argsOf } from "./program";

/** What this operator knows of engines. */
export const engines: Engines = {
  available: Engine.options.filter((name) => engineOf(name).kind === "available"),
  parameterProblems({ engine, version }, config, entry) {
    const found = engineOf(engine);
    return found.kind === "available"
      ? found.engine.parameterProblems(config, version, entry && (entry.libraries ?? [])).map(({ message }) => message)
      : [];
  },
  memoryProblems(spec, config) {
    const found = engineOf(spec.engine);
    return found.kind === "available"
      ? found.engine.memoryProblems(settingsFor(spec, config)).map(({ message }) => message)
      : [];
  },
  electedBy(name) {
    const found = engineOf(name);
    return found.kind === "available" ? found.engine.electedBy : "lease";
  },
  requestsOf(spec) {
    const found = engineOf(spec.engine);
    if (found.kind === "unavailable") return { cpu: 0, memory: 0 };
    const { containers } = found.engine.memberPod(settingsFor(spec, {}));
    const sum = (name: string): number =>
      containers.reduce((total, { resources }) => total + requestOf(resources, name), 0);
    return { cpu: sum("cpu"), memory: sum("memory") };
  },
};

/** Of no Database in particular. */
function settingsFor(spec: DatabaseSpec, config: Readonly<Record<string, string>>): Settings {
  const owner = { name: "", namespace: "", uid: "" };
  return settingsOf("", argsOf({ owner, spec, image: "", config, serviceMonitors: false }));
}

/** As the API server fills it in: where nothing is asked for, the limit counts. */
function requestOf({ requests, limits }: Resources, name: string): number {
  const quantity = requests?.[name] ?? limits?.[name];
  return quantity === undefined ? 0 : valueOf(quantity);
}
