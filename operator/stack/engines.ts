// What the operator asks about engines before it runs anything.
import { valueOf } from "../api/quantity";
import type { DatabaseSpec } from "../api/spec";
import { settingsOf, type Resources, type Settings } from "../../components";
import type { Engines } from "../domain/engines";
import { engineOf } from "../../components/engines/available";
import { argsOf } from "./program";

/** What this operator knows of engines. */
export const engines: Engines = {
  parameterProblems({ engine, version }, config, entry) {
    const problems = engineOf(engine).parameterProblems(config, version, entry && (entry.libraries ?? []));
    return problems.map(({ message }) => message);
  },
  memoryProblems(spec, config) {
    const problems = engineOf(spec.engine).memoryProblems(settingsFor(spec, config));
    return problems.map(({ message }) => message);
  },
  electedBy: (name) => engineOf(name).electedBy,
  requestsOf(spec) {
    const { containers } = engineOf(spec.engine).memberPod(settingsFor(spec, {}));
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
