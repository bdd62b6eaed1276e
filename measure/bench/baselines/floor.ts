// The same children by plain server-side apply over kept-alive connections, without Pulumi: the API server's own limit.
import { fieldManager } from "../../../components/naming";
import { childKinds } from "../../../operator/kube/children";
import { item } from "../../../operator/kube/paths";
import { clientOf } from "../cluster";
import { manifestsOf, type Manifest } from "./manifests";
import { programFor } from "./program";
import type { Command } from "./protocol";
import { serve } from "./serve";

const client = clientOf(process.env["KUBECONFIG"] ?? "", fieldManager);

/** Rendered once under a name that no text holds by chance; a hand-written controller has templates as well. */
const stem = "benchnameplaceholder";
const templates = new Map<number, Promise<string>>();
let rendering: Promise<unknown> = Promise.resolve();

function templateWith(workMem: number): Promise<string> {
  const known = templates.get(workMem);
  if (known !== undefined) return known;
  const rendered = rendering.then(async () =>
    JSON.stringify(await manifestsOf(programFor({ namespace: `${stem}-space`, name: stem, workMem }))),
  );
  rendering = rendered;
  templates.set(workMem, rendered);
  return rendered;
}

async function manifestsFor({ namespace, name, workMem }: Command): Promise<readonly Manifest[]> {
  const text = (await templateWith(workMem)).replaceAll(`${stem}-space`, namespace).replaceAll(stem, name);
  return JSON.parse(text) as readonly Manifest[];
}

function pathOf({ kind, metadata }: Manifest): string {
  const found = childKinds.find((candidate) => candidate.kind === kind);
  if (found === undefined) throw new Error(`no path is known for ${kind}`);
  return item(found.resource, metadata.namespace, metadata.name);
}

/** Side by side; but who may not bind every Role has to bind one that exists. */
async function applyAll(manifests: readonly Manifest[]): Promise<void> {
  const isBinding = ({ kind }: Manifest): boolean => kind === "RoleBinding";
  for (const part of [manifests.filter((one) => !isBinding(one)), manifests.filter(isBinding)]) {
    await Promise.all(part.map((manifest) => client.apply(pathOf(manifest), manifest)));
  }
}

serve(async (command) => {
  const manifests = await manifestsFor(command);
  switch (command.do) {
    case "create":
    case "update":
      await applyAll(manifests);
      return undefined;
    case "delete":
      await Promise.all(manifests.map((manifest) => client.delete(pathOf(manifest))));
      return undefined;
    case "children":
      return manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    case "preview":
      throw new Error("not asked of plain requests");
  }
});
