// Installs the custom resources. They survive `pulumi destroy`: deleting them would delete every Database.
import { readdirSync, readFileSync } from "node:fs";
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
  /** A directory with one CustomResourceDefinition per `.yaml` file. */
  readonly directory: string;
}

/** Every custom resource of the project. */
export class CustomResources extends pulumi.ComponentResource {
  /** Their names, such as `databases.example.com`. */
  readonly names: readonly string[];

  constructor(name: string, args: CustomResourcesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:CustomResources", name, args, opts);
    const crds = readCrds(args.directory);
    for (const { metadata, spec } of crds) {
      const described = { name: metadata.name, labels: platformLabels, annotations: platformAnnotations };
      new k8s.apiextensions.v1.CustomResourceDefinition(
        metadata.name,
        { metadata: described, spec },
        { parent: this, retainOnDelete: true },
      );
    }
    this.names = crds.map(({ metadata }) => metadata.name);
    this.registerOutputs({ names: this.names });
  }
}
