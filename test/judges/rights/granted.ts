// What the operator holds: by which rules, and what of it only to hand it on to members.
import type { Engine } from "../../../components/engines/engine";
import { availableEngines } from "../../../components/engines/available";
import type { EngineName } from "../../../contract/engines";
import { samples } from "../../engines/all";
import { settingsOf } from "../../../components/settings";
import { z } from "zod";
import { clusterRules, leaseRules, recordRules } from "../../../infra/permissions";
import { previewRules } from "../../../infra/preview-api";
import { rightsIn, type PlainRule, type Right } from "./right";

const Rules = z.array(
  z.object({
    apiGroups: z.array(z.string()),
    resources: z.array(z.string()),
    verbs: z.array(z.string()),
    resourceNames: z.array(z.string()).optional(),
  }),
);

/** A rule that can also be limited to objects of these names. */
export type NamedRule = z.infer<typeof Rules>[number];

/** Rules for the namespaces of Databases and for what is in none; the same with `watchNamespaces`, only in fewer places. */
export const rulesElsewhere: readonly NamedRule[] = Rules.parse(clusterRules);

/** Rules where previews are served, which no installation has by default: what is never used is not looked for there. */
export const rulesOfPreviews: readonly NamedRule[] = Rules.parse(previewRules);

/** Rules for the operator's own namespace. */
export const rulesInOwn: readonly NamedRule[] = Rules.parse([...recordRules, ...leaseRules]);

/** The Role of the members of a Database named `<name>`, by engine. */
export const rulesOfMembers: ReadonlyMap<EngineName, readonly NamedRule[]> = new Map(
  availableEngines.map((engine) => [engine.name, rulesOf(engine, samples[engine.name].version)]),
);

function rulesOf(engine: Engine, version: string): readonly NamedRule[] {
  const settings = settingsOf("<name>", { namespace: "<namespace>", engine: engine.name, version, image: "<image>" });
  return Rules.parse(engine.accessRules(settings));
}

const plain = (rules: readonly NamedRule[]): readonly PlainRule[] => rules;

/** Everything that is granted. */
export const granted: ReadonlySet<Right> = new Set([
  ...rightsIn("elsewhere", plain(rulesElsewhere)),
  ...rightsIn("own", plain(rulesInOwn)),
]);

/** What members get: no client may create a Role with rights that it does not have. */
export const handedOn: ReadonlySet<Right> = rightsIn("elsewhere", plain([...rulesOfMembers.values()].flat()));
