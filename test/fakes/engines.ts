// What is known of engines, for tests of decisions: one engine, which refuses one parameter and has no room for another.
import type { Ports } from "../../operator/ports";

export const fakeEngines: Ports["engines"] = {
  available: ["postgresql"],
  parameterProblems: (_engine, config) => ("port" in config ? ["port is reserved"] : []),
  memoryProblems: (_spec, config) => ("huge" in config ? ["huge finds no room"] : []),
  electedBy: () => "lease",
  requestsOf: () => ({ cpu: 1, memory: 2 ** 30 }),
};
