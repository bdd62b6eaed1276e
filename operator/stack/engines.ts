// What the operator asks about engines before it runs anything.
import { valueOf } from "../api/quantity";
import { Engine } from "../api/spec";
import { settingsOf, type Resources } from "../../components";
import { engineOf } from "../../components/engines/available";
import type { Engines } from "../ports";
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
  requestsOf(spec) {
    const found = engineOf(spec.engine);
    if (found.kind === "unavailable") return { cpu: 0, memory: 0 };
    const plain = { owner: { name: "", namespace: "", uid: "" }, spec, image: "", config: {}, serviceMonitors: false };
    const { containers } = found.engine.memberPod(settingsOf("", argsOf(plain)));
    const sum = (name: string): number =>
      containers.reduce((total, { resources }) => total + requestOf(resources, name), 0);
    return { cpu: sum("cpu"), memory: sum("memory") };
  },
};

/** As the API server fills it in: where nothing is asked for, the limit counts. */
function requestOf({ requests, limits }: Resources, name: string): number {
  const quantity = requests?.[name] ?? limits?.[name];
  return quantity === undefined ? 0 : valueOf(quantity);
}
