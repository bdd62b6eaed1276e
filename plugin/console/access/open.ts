// A person, from the way to the API server as them.
import type { Cluster } from "../../command/world";
import { guarded } from "./guard";
import type { Person, Places } from "./person";
import { placesOf } from "./places";

/** `known`: namespaces to try where neither all Databases nor namespaces may be listed. */
export function personOf(opened: Cluster, known: readonly string[], user: string | undefined): Person {
  const cluster = guarded(opened);
  let places: Promise<Places> | undefined;
  return {
    user,
    cluster,
    places: () => {
      places ??= placesOf(cluster, known).catch((error: unknown) => {
        places = undefined;
        throw error;
      });
      return places;
    },
  };
}
