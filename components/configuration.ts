// The ConfigMaps of a Database: the engine's configuration and the objects in which its consensus keeps its state.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ConfigContents } from "./engines/engine";
import { lastingMetadataOf } from "./metadata";
import { configMapName, consensusMapNames } from "./naming";
import type { PartArgs } from "./part";
import type { Settings } from "./settings";

/**
 * A ConfigMap as the engine wants it. It outlives the stack like the data: what consensus wrote into it shows which
 * member's files are the latest, and that a database exists which an empty volume must not replace.
 */
export function configMapOf(
  settings: Settings,
  name: string,
  { annotations, data }: ConfigContents,
): k8s.core.v1.ConfigMapArgs {
  return { metadata: lastingMetadataOf(settings, name, { annotations }), ...(data && { data: { ...data } }) };
}

/** The ConfigMaps of a database: the engine's configuration and, empty at first, the state of its consensus. */
export class Configuration extends pulumi.ComponentResource {
  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Configuration", name, {}, opts);
    const { settings, engine } = args;
    // declared, empty, so that members need no right to create ConfigMaps, and none are left behind
    const ofConsensus = consensusMapNames(name, engine.name).map((map): [string, ConfigContents] => [map, {}]);
    for (const [map, contents] of [[configMapName(name), engine.configuration(settings)] as const, ...ofConsensus]) {
      new k8s.core.v1.ConfigMap(map, configMapOf(settings, map, contents), {
        parent: this,
        retainOnDelete: true,
      });
    }
    this.registerOutputs({});
  }
}
