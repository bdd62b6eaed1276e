// What decides about a Database beside its spec, with what is assumed of it: a change of the platform's before it is made.
import type { Assumed } from "../api/assumed";
import type { Ports, World } from "../domain/ports";

export interface Inputs {
  readonly world: World;
  readonly configSource: Ports["configSource"];
}

/** See the header. */
export function assuming({ world, configSource }: Inputs, { catalogue, configMaps = {} }: Assumed): Inputs {
  return {
    world: catalogue === undefined ? world : { ...world, catalogue },
    configSource: async (namespace, name) =>
      Object.hasOwn(configMaps, name) ? configMaps[name] : configSource(namespace, name),
  };
}
