// Who may connect to the members of a Database.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Engine, Port } from "./engines/engine";
import { metadataOf } from "./metadata";
import { ports } from "./member";
import { backupSelector, clientLabel, memberSelector, networkPolicyName } from "./naming";
import { sentByMembers } from "./object-storage";
import type { PartArgs } from "./part";
import type { Settings } from "./settings";

type Rule = k8s.types.input.networking.v1.NetworkPolicyIngressRule;

/**
 * The policy: members reach each other; pods of the same namespace, of namespaces with the client label, and pods with
 * that label reach the client port, and so do clients outside of the cluster that a load balancer is for; backup Jobs reach the servers that read the data for them; metrics may be scraped from anywhere. What members reach is left open: they need
 * the Kubernetes API and DNS, whose addresses no portable policy can name.
 */
export function networkPolicyOf(settings: Settings, engine: Engine): k8s.networking.v1.NetworkPolicyArgs {
  const { client, members, metrics } = engine.ports;
  const isClient = { matchLabels: { [clientLabel]: "true" } };
  const ingress: Rule[] = [
    {
      from: [{ podSelector: { matchLabels: memberSelector(settings.name) } }],
      ports: [client, ...members].map(portOf),
    },
    {
      from: [{ podSelector: {} }, { namespaceSelector: isClient }, { namespaceSelector: {}, podSelector: isClient }],
      ports: [portOf(client)],
    },
  ];
  const ranges = outsideRangesOf(settings);
  if (ranges.length > 0) ingress.push({ from: ranges.map((cidr) => ({ ipBlock: { cidr } })), ports: [portOf(client)] });
  if (sentByMembers(settings) !== undefined) {
    const jobs = { podSelector: { matchLabels: backupSelector(settings.name) } };
    ingress.push({ from: [jobs], ports: [portOf(ports.backup)] });
  }
  if (settings.monitoring.enabled) ingress.push({ ports: [portOf(metrics)] });
  return {
    metadata: metadataOf(settings, networkPolicyName(settings.name)),
    spec: { podSelector: { matchLabels: memberSelector(settings.name) }, policyTypes: ["Ingress"], ingress },
  };
}

/** From where clients come through load balancers, whichever member these lead to: a policy knows pods, and no Services. */
function outsideRangesOf({ services = {} }: Settings): string[] {
  const outside = [services.readWrite, services.readOnly, services.any];
  return [...new Set(outside.flatMap((service) => service?.loadBalancerSourceRanges ?? []))].sort();
}

const portOf = ({ port }: Port): k8s.types.input.networking.v1.NetworkPolicyPort => ({ port, protocol: "TCP" });

/** The NetworkPolicy `<name>`. */
export class Network extends pulumi.ComponentResource {
  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Network", name, {}, opts);
    const policy = networkPolicyOf(args.settings, args.engine);
    new k8s.networking.v1.NetworkPolicy(networkPolicyName(name), policy, { parent: this });
    this.registerOutputs({});
  }
}
