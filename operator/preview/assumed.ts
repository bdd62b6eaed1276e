// What is looked at as if it were so already: a change of the platform's, or of a shared ConfigMap, before it is made.
import { z } from "zod";
import { Catalogue } from "../api/catalogue";
import type { Ports, World } from "../domain/ports";

const Parameters = z.record(z.string(), z.string());

/** ConfigMaps by name, of the namespace of the Database. What is missing is as it is in the cluster. */
export const Assumed = z.strictObject({
  catalogue: Catalogue.optional(),
  configMaps: z.record(z.string(), Parameters).optional(),
});
export type Assumed = z.infer<typeof Assumed>;

/** What decides about a Database beside its spec. */
export interface Inputs {
  readonly world: World;
  readonly configSource: Ports["configSource"];
}

/** The same with what is assumed. */
export function assuming({ world, configSource }: Inputs, { catalogue, configMaps = {} }: Assumed): Inputs {
  return {
    world: catalogue === undefined ? world : { ...world, catalogue },
    configSource: async (namespace, name) =>
      Object.hasOwn(configMaps, name) ? configMaps[name] : configSource(namespace, name),
  };
}
