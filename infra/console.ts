// The shared console in the cluster, where the stack asks for it: pods that act for persons, and may do nothing else.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { CONSOLE_NAME, type ConsoleArgs } from "./console/names";
import { consoleObjects } from "./console/objects";

/** See the header. */
export class Console extends pulumi.ComponentResource {
  constructor(name: string, args: ConsoleArgs, opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:Console", name, {}, opts);
    const { account, role, binding, proxyCa, deployment, service, budget, networkPolicy } = consoleObjects(args);
    const child = { parent: this };
    const before = [
      new k8s.core.v1.ServiceAccount(CONSOLE_NAME, account, child),
      new k8s.rbac.v1.ClusterRole(CONSOLE_NAME, role, child),
      new k8s.rbac.v1.ClusterRoleBinding(CONSOLE_NAME, binding, child),
      new k8s.core.v1.ConfigMap(CONSOLE_NAME, proxyCa, child),
      ...(networkPolicy ? [new k8s.networking.v1.NetworkPolicy(CONSOLE_NAME, networkPolicy, child)] : []),
    ];
    new k8s.apps.v1.Deployment(CONSOLE_NAME, deployment, { ...child, dependsOn: before });
    new k8s.core.v1.Service(CONSOLE_NAME, service, child);
    new k8s.policy.v1.PodDisruptionBudget(CONSOLE_NAME, budget, child);
    this.registerOutputs();
  }
}
