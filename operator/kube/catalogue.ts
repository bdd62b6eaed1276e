// Where the catalogue is in the cluster, and how it is read.
import { z } from "zod";
import { Catalogue } from "../api/catalogue";

/** Name and key of the ConfigMap, in the operator's namespace, that holds the catalogue. */
export const catalogueMap = { name: "database-operator-catalogue", key: "catalogue.json" } as const;

const CatalogueMap = z.object({ data: z.record(z.string(), z.string()).default({}) });

/** The catalogue in that ConfigMap. Throws where it is none. */
export function catalogueIn(configMap: unknown): Catalogue {
  return Catalogue.parse(JSON.parse(CatalogueMap.parse(configMap).data[catalogueMap.key] ?? "{}"));
}
