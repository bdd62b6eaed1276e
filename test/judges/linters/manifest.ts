// Manifests as linters get them: from a file, or objects of a cluster without what only the server writes.
import { readFile, writeFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import type { Kubectl } from "../../harness/kubectl";

/** An object with what identifies it; all else is the linters' to judge. */
export const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
export type Manifest = z.infer<typeof Manifest>;

const List = z.object({ items: z.array(Manifest) });

/** Metadata that the API server fills in, and that no author writes. */
const serversOwn = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"];

/** Objects of these kinds with these labels. `where` is `-A`, or `-n` and a namespace. */
export async function manifestsOf(
  kubectl: Kubectl,
  kinds: readonly string[],
  labels: string,
  where: readonly string[],
): Promise<Manifest[]> {
  const text = await kubectl("get", kinds.join(), "-l", labels, ...where, "-o", "json");
  return List.parse(JSON.parse(text)).items.map(authored);
}

function authored({ metadata, ...rest }: Manifest): Manifest {
  const kept = Object.entries(metadata).filter(([field]) => !serversOwn.includes(field));
  return Manifest.parse({ ...rest, status: undefined, metadata: Object.fromEntries(kept) });
}

/** The manifests of a YAML file. */
export async function manifestsIn(file: string): Promise<Manifest[]> {
  const documents = parseAllDocuments(await readFile(file, "utf8"));
  return documents.map((document) => Manifest.parse(document.toJS()));
}

/** `Kind name`, as findings name an object. */
export const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** Writes manifests into one file, one document each. */
export async function writeManifests(file: string, manifests: readonly Manifest[]): Promise<void> {
  // JSON is YAML
  await writeFile(file, manifests.map((manifest) => `---\n${JSON.stringify(manifest, undefined, 1)}\n`).join(""));
}

const Template = z.looseObject({ spec: z.looseObject({}) });
const Job = z.object({ template: Template });
const CronJob = z.object({ jobTemplate: z.object({ spec: Job }) });

/** A Pod with the template of a Job or CronJob, for linters that know neither; any other manifest as it is. */
export function asPod(manifest: Manifest): Manifest {
  const { kind, metadata } = manifest;
  if (kind !== "Job" && kind !== "CronJob") return manifest;
  const job = kind === "Job" ? Job.parse(manifest["spec"]) : CronJob.parse(manifest["spec"]).jobTemplate.spec;
  return { apiVersion: "v1", kind: "Pod", metadata, spec: job.template.spec };
}
