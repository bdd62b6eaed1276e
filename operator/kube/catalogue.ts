// Where the catalogue is in the cluster, and how it is read.
import { z } from "zod";
import { catalogueMap } from "../../contract/platform";
import { Catalogue } from "../api/catalogue";
const CatalogueMap = z.object({ data: z.record(z.string(), z.string()).default({}) });

/** The catalogue in that ConfigMap. Throws where it is none. */
export function catalogueIn(configMap: unknown): Catalogue {
  return Catalogue.parse(JSON.parse(CatalogueMap.parse(configMap).data[catalogueMap.key] ?? "{}"));
}
