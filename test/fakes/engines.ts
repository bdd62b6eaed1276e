// What is known of engines, for tests of decisions: one engine, which refuses one parameter, has no room for another, and
// takes a third where the catalogue names its library.
import type { Ports } from "../../operator/domain/ports";

export const fakeEngines: Ports["engines"] = {
  parameterProblems: (_engine, config, entry) => [
    ...("port" in config ? ["port is reserved"] : []),
    ...("audit" in config && entry?.libraries?.includes("audit") !== true ? ["the image does not have audit"] : []),
  ],
  memoryProblems: (_spec, config) => ("huge" in config ? ["huge finds no room"] : []),
  electedBy: () => "lease",
  requestsOf: () => ({ cpu: 1, memory: 2 ** 30 }),
};
