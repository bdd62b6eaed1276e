// Which tool has a Database, so that a change of the object would be undone, or lost with the next one: by its labels, annotations, owners and field managers. Pure.
import { z } from "zod";

const Texts = z.record(z.string(), z.string()).default({});
const Kept = z.object({
  metadata: z.object({
    ...{ labels: Texts, annotations: Texts },
    managedFields: z.array(z.object({ manager: z.string().default("") })).default([]),
    ownerReferences: z
      .array(z.object({ kind: z.string(), name: z.string(), controller: z.boolean().default(false) }))
      .default([]),
  }),
});

/** What is said of it, such as `Argo CD (shop)`. */
export interface Keeper {
  readonly title: string;
  /** Where the change belongs. */
  readonly where: string;
}

const git = "change it where it is kept, in Git";

interface Mark {
  readonly title: string;
  readonly where: string;
  /** Labels and annotations, any of which is a sign of it; the value names what it is part of. */
  readonly keys: readonly string[];
  readonly managers: readonly string[];
}

const marks: readonly Mark[] = [
  {
    ...{ title: "Argo CD", where: git, managers: ["argocd-controller"] },
    keys: ["argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance"],
  },
  {
    ...{ title: "Flux", where: git, managers: ["kustomize-controller", "helm-controller"] },
    keys: ["kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"],
  },
  {
    ...{ title: "Helm", where: "change the values of its release, or roll that back", managers: ["helm"] },
    keys: ["meta.helm.sh/release-name"],
  },
];

/** Undefined where no tool is known to have it. */
export function keeperOf(object: unknown): Keeper | undefined {
  const { data } = Kept.safeParse(object);
  if (data === undefined) return undefined;
  const { labels, annotations, managedFields, ownerReferences } = data.metadata;
  const owner = ownerReferences.find(({ controller }) => controller);
  if (owner !== undefined)
    return {
      title: `${owner.kind} ${owner.name}`,
      where: `it is translated from ${owner.kind} ${owner.name}: change that`,
    };
  const managers = new Set(managedFields.map(({ manager }) => manager));
  for (const { title, where, keys, managers: known } of marks) {
    const part = keys.map((key) => annotations[key] ?? labels[key]).find((value) => value !== undefined);
    if (part !== undefined) return { title: `${title} (${part})`, where };
    if (known.some((manager) => managers.has(manager))) return { title, where };
  }
  return undefined;
}
