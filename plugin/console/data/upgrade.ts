// What the operator would do to all Databases that a person may see: as they are, or with another catalogue. Nothing is written.
import { parse } from "yaml";
import { z } from "zod";
import { catalogueMap } from "../../../contract/platform";
import { fleetTotals, type FleetRow } from "../../../operator/preview/fleet";
import { answersTo } from "../../fleet/ask";
import { rowsOf } from "../../fleet/text";
import type { Person } from "../access/person";
import { databasesFor } from "./read";

/** A preview takes the operator a third of a second, and a browser waits for all of them. */
const most = 60;

export type UpgradePreview =
  | {
      readonly kind: "told";
      readonly rows: readonly FleetRow[];
      readonly totals: readonly string[];
      /** How many were not asked about. */
      readonly left: number;
    }
  | { readonly kind: "unserved"; readonly message: string }
  /** It is no catalogue: nothing was asked. */
  | { readonly kind: "unreadable"; readonly message: string };

export interface UpgradeQuestion {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** The catalogue as it would be; empty: the one that there is. */
  readonly text: string;
}

export async function upgradePreview(person: Person, { namespace, text }: UpgradeQuestion): Promise<UpgradePreview> {
  const catalogue = text.trim() === "" ? undefined : catalogueIn(text);
  if (typeof catalogue === "string") return { kind: "unreadable", message: catalogue };
  const found = (await databasesFor(person, namespace)).filter(
    ({ database }) => database.metadata.deletionTimestamp === undefined,
  );
  const asked = found
    .slice(0, most)
    .map(({ object, database }) => ({ object, namespace: database.metadata.namespace }));
  const assumed = { configMaps: [], ...(catalogue !== undefined && { catalogue }) };
  const answers = await answersTo(asked, assumed, person.cluster);
  const unserved = answers.find(({ kind }) => kind === "unserved");
  if (unserved?.kind === "unserved") return { kind: "unserved", message: unserved.why };
  const rows = rowsOf(answers);
  return { kind: "told", rows, totals: fleetTotals(rows, { byPlatform: true }), left: found.length - asked.length };
}

const Catalogue = z.record(z.string(), z.unknown());
const OfCluster = z.object({
  kind: z.literal("ConfigMap"),
  data: z.record(z.string(), z.string()),
});

/** As a file of the platform has it, or as its ConfigMap. A sentence where it is none. */
function catalogueIn(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const read: unknown = parse(text, { maxAliasCount: 20 });
    const map = OfCluster.safeParse(read).data;
    const inner: unknown = map === undefined ? read : JSON.parse(map.data[catalogueMap.key] ?? "");
    return Catalogue.safeParse(inner).data ?? "this is no catalogue: write engines with their versions";
  } catch (error) {
    return `this is neither JSON nor YAML: ${error instanceof Error ? error.message : String(error)}`;
  }
}
