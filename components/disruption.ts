// Limits how many members a drain may take away at once.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { metadataOf } from "./metadata";
import { disruptionBudgetName, memberSelector } from "./naming";
import type { PartArgs } from "./part";
import type { Settings } from "./settings";

/** The budget: one member at a time. A member that is not ready protects nothing, so it may always be evicted. */
export function disruptionBudgetOf(settings: Settings): k8s.policy.v1.PodDisruptionBudgetArgs {
  return {
    metadata: metadataOf(settings, disruptionBudgetName(settings.name)),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: "AlwaysAllow",
      selector: { matchLabels: memberSelector(settings.name) },
    },
  };
}

/** The PodDisruptionBudget `<name>`. The database should have at least two members, or a drain could never end. */
export class DisruptionBudget extends pulumi.ComponentResource {
  constructor(name: string, args: Pick<PartArgs, "settings">, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:DisruptionBudget", name, {}, opts);
    new k8s.policy.v1.PodDisruptionBudget(disruptionBudgetName(name), disruptionBudgetOf(args.settings), {
      parent: this,
    });
    this.registerOutputs({});
  }
}
