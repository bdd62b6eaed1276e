// The ConfigMaps of a Database: the engine's configuration and the objects in which its consensus keeps its state.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ConfigObject } from "./engines/engine";
import { lastingMetadataOf } from "./metadata";
import type { PartArgs } from "./part";
import type { Settings } from "./settings";

/**
 * A ConfigMap as the engine wants it. It outlives the stack like the data: what consensus wrote into it shows which
 * member's files are the latest, and that a database exists which an empty volume must not replace.
 */
export function configMapOf(settings: Settings, object: ConfigObject): k8s.core.v1.ConfigMapArgs {
  const { name, annotations, data } = object;
  return { metadata: lastingMetadataOf(settings, name, { annotations }), ...(data && { data: { ...data } }) };
}

/** The ConfigMaps of a database. */
export class Configuration extends pulumi.ComponentResource {
  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Configuration", name, {}, opts);
    for (const object of args.engine.configObjects(args.settings)) {
      new k8s.core.v1.ConfigMap(object.name, configMapOf(args.settings, object), {
        parent: this,
        retainOnDelete: true,
      });
    }
    this.registerOutputs({});
  }
}
