// What a preview looks at as if it were so already: a part of its question.
import { z } from "zod";
import { Catalogue } from "./catalogue";

const Parameters = z.record(z.string(), z.string());

/** ConfigMaps by name, of the namespace of the Database. What is missing is as it is in the cluster. */
export const Assumed = z.strictObject({
  catalogue: Catalogue.optional(),
  configMaps: z.record(z.string(), Parameters).optional(),
});
export type Assumed = z.infer<typeof Assumed>;
