// The whole table of bad inputs.
import { databaseSchema } from "../../operator/api/crd";
import type { Schema } from "../../operator/api/schema";
import type { Entry } from "./entry";
import { entriesOf, nodesOf, type Node } from "./fields";
import { specials } from "./specials";

const { spec } = databaseSchema().properties ?? {};
const schema: Schema = spec ?? { type: "object" };

/** Every field of the spec. */
export const nodes: readonly Node[] = nodesOf(schema);

/** Every entry. */
export const table: readonly Entry[] = [...nodes.flatMap(entriesOf), ...specials];
