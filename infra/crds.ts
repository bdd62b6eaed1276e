// Installs the custom resources. They survive `pulumi destroy`: deleting them would delete every Database.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { z } from "zod";
import { platformAnnotations, platformLabels } from "./metadata";

type Spec = k8s.types.input.apiextensions.v1.CustomResourceDefinitionSpec;

// The files are generated and checked against a real API server; only their frame is looked at here.
const Manifest = z.object({
  kind: z.literal("CustomResourceDefinition"),
  metadata: z.object({ name: z.string() }),
  spec: z.custom<Spec>(
    (spec) => z.object({ group: z.string(), versions: z.array(z.unknown()) }).safeParse(spec).success,
  ),
});

/** The CRDs of `directory`, by file name. Throws where a file holds something else. */
export function readCrds(directory: string): z.infer<typeof Manifest>[] {
  const files = readdirSync(directory).filter((file) => file.endsWith(".yaml"));
  return files.sort().map((file) => Manifest.parse(parse(readFileSync(join(directory, file), "utf8"))));
}

/** Where the generated CRDs are. */
export interface CustomResourcesArgs {
  /**
   * A directory with one CustomResourceDefinition per `.yaml` file; below it, in `conversion/`, those that are served in
   * several versions have a file of the same name for that.
   */
  readonly directory: string;
  /** The namespace of the operator whose webhook converts. Without it the stored versions are served alone. */
  readonly webhookNamespace?: string;
  /** Further annotations of each of them. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The CRDs to install. Throws where a file holds something else. */
export function crdsOf({ directory, webhookNamespace }: CustomResourcesArgs): z.infer<typeof Manifest>[] {
  const stored = readCrds(directory);
  const conversion = join(directory, "conversion");
  if (webhookNamespace === undefined || !existsSync(conversion)) return stored;
  const converted = readCrds(conversion).map((crd) => servedFrom(crd, webhookNamespace));
  const withWebhook = new Map(converted.map((crd) => [crd.metadata.name, crd]));
  return stored.map((crd) => withWebhook.get(crd.metadata.name) ?? crd);
}

const Service = z.object({ namespace: z.string(), name: z.string(), path: z.string(), port: z.number() });
const Converted = z.object({
  conversion: z.object({
    strategy: z.literal("Webhook"),
    webhook: z.object({
      conversionReviewVersions: z.array(z.string()),
      clientConfig: z.object({ service: Service }),
    }),
  }),
});

/** The CRD with the webhook in that namespace. */
function servedFrom(crd: z.infer<typeof Manifest>, namespace: string): z.infer<typeof Manifest> {
  const { conversion } = Converted.parse(crd.spec);
  conversion.webhook.clientConfig.service.namespace = namespace;
  return { ...crd, spec: { ...crd.spec, conversion } };
}

/** Every custom resource of the project. */
export class CustomResources extends pulumi.ComponentResource {
  /** Their names, such as `databases.example.com`. */
  readonly names: readonly string[];

  constructor(name: string, args: CustomResourcesArgs, opts?: pulumi.ComponentResourceOptions) {
    // where the files lie differs from one clone to the next, and changes nothing
    super("database-operator:index:CustomResources", name, { webhookNamespace: args.webhookNamespace }, opts);
    const crds = crdsOf(args);
    for (const { metadata, spec } of crds) {
      const annotations = { ...platformAnnotations, ...args.annotations };
      const described = { name: metadata.name, labels: platformLabels, annotations };
      new k8s.apiextensions.v1.CustomResourceDefinition(
        metadata.name,
        { metadata: described, spec },
        // the authority of the webhook is written by the operator
        { parent: this, retainOnDelete: true, ignoreChanges: ["spec.conversion.webhook.clientConfig.caBundle"] },
      );
    }
    this.names = crds.map(({ metadata }) => metadata.name);
    this.registerOutputs({ names: this.names });
  }
}
