// The platform's objects as plain manifests: what the program in infra/ declares, taken from Pulumi's mocks instead of a cluster.
import { readFile } from "node:fs/promises";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { INSTALLATION_ANNOTATION, TAKEN_FROM_ANNOTATION } from "../../infra/installation";
import { catalogueMap } from "../../contract/platform";

/** A Kubernetes object. */
const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});
export type Manifest = z.infer<typeof Manifest>;

/** Settings of the platform's stack, without their namespace. Values as `pulumi config` holds them: text, or JSON. */
export type PlatformConfig = Readonly<Record<string, string>>;

const PROJECT = "database-operator";

/** What others need comes first. A kind that is not here comes last. */
const order = [
  "Namespace",
  "CustomResourceDefinition",
  "ServiceAccount",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
  "ConfigMap",
  "Service",
  "Deployment",
];

/**
 * Everything that `pulumi up` would create with this configuration. Once in a process: a program is loaded, and so run, once.
 * Throws what the program throws where the configuration is wrong.
 */
export async function platformManifests(config: PlatformConfig): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => {
        if (type.startsWith("kubernetes:")) manifests.push(plain(Manifest.parse(inputs)));
        return { id: name, state: inputs as Record<string, unknown> };
      },
      call: () => ({}),
    },
    PROJECT,
  );
  pulumi.runtime.setAllConfig(
    Object.fromEntries(Object.entries(config).map(([key, value]) => [`${PROJECT}:${key}`, value])),
  );
  await import("../../infra/index.js");
  // until everything is registered
  await pulumi.runtime.disconnect();
  return manifests.sort((a, b) => place(a) - place(b) || (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** What survives when the platform is taken away: it holds, or is, what belongs to people. */
export const outlives = ({ kind }: Manifest): boolean => kind === "Namespace" || kind === "CustomResourceDefinition";

/** Which versions there are is set by the person who installs the platform, and apart from the rest. */
export const isCatalogue = ({ metadata }: Manifest): boolean => metadata.name === catalogueMap.name;

/** A catalogue as the setting takes it. Throws where there is no such file. */
export async function catalogueSetting(file: string): Promise<string> {
  return JSON.stringify(JSON.parse(await readFile(file, "utf8")));
}

const place = ({ kind }: Manifest): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
const sortKey = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

/** What says of which stack of Pulumi it is. */
const ofStacks: ReadonlySet<string> = new Set([INSTALLATION_ANNOTATION, TAKEN_FROM_ANNOTATION]);

/** Without what only Pulumi reads, and without saying that Pulumi manages it, or which stack of it. */
function plain({ apiVersion, kind, metadata, ...rest }: Manifest): Manifest {
  const { annotations = {}, labels = {}, ...named } = metadata;
  const kept = Object.entries(annotations).filter(([name]) => !name.startsWith("pulumi.com/") && !ofStacks.has(name));
  const told = Object.entries(labels).filter(([name]) => name !== "app.kubernetes.io/managed-by");
  const described = {
    ...named,
    ...(told.length > 0 && { labels: Object.fromEntries(told) }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
  };
  return { apiVersion, kind, metadata: described, ...rest };
}
