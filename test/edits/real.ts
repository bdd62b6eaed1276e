// What edits on a real node choose from: versions that were built, and sizes below and above what the node has.
import type { Engine } from "../../operator/api/spec";
import { builtMinors, builtVersion } from "../harness/built-versions";
import type { PlatformCluster } from "../harness/platform-cluster";
import { samples } from "../engines/all";
import type { Grounds } from "./grounds";

/** The node has two processors, which the members of all engines share: without a request each would take a quarter of one. */
const cpu = {
  usual: ["50m", "100m", "150m"],
  limits: ["300m", "600m", "1"],
  isAlwaysGiven: true,
  impossible: ["64", "1500"],
} as const;
const memory = { usual: ["1Gi", "1280Mi", "1536Mi"], impossible: ["2Ti", "3000Gi"] };

/** For the versions in the catalogue of a cluster with real nodes. */
export function realGrounds(platform: Pick<PlatformCluster, "catalogue">): readonly Grounds[] {
  const groundsOf = (engine: Engine, versions: readonly string[], replicas: readonly number[]): Grounds => ({
    ...{ engine, versions, replicas, memory, cpu },
    ...{ parameters: samples[engine].edits.parameters, configMaps: Object.keys(samples[engine].edits.tuning) },
    first: { resources: { requests: { cpu: "50m", memory: "1Gi" } }, storage: "2Gi" },
  });
  return [
    // the major version of which there are two minors
    groundsOf("postgresql", builtMinors(platform, "15"), [1, 2, 3]),
    groundsOf("mysql", [builtVersion(platform, "mysql").version], [1, 3]),
    // the image has a server that takes one member and no parameters
    { ...groundsOf("mongodb", [builtVersion(platform, "mongodb").version], [1]), parameters: {}, configMaps: [] },
  ];
}
