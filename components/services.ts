// The Services of a Database. They select by the role label that members write on themselves, so that a fail-over
// needs neither the operator nor Pulumi.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Engine, Port } from "./engines/engine";
import { metadataOf } from "./metadata";
import {
  anyMemberServiceName,
  headlessServiceName,
  memberSelector,
  readOnlyServiceName,
  readWriteServiceName,
  roleSelector,
} from "./naming";
import type { PartArgs } from "./part";
import type { ClientService } from "./placement-args";
import type { Settings } from "./settings";

/** What differs between the Services of clients. */
interface Led {
  readonly selector: Record<string, string>;
  readonly engine: Engine;
  readonly wishes: ClientService | undefined;
}

function clientServiceOf(settings: Settings, name: string, { selector, engine, wishes }: Led): k8s.core.v1.ServiceArgs {
  const { type = "ClusterIP", loadBalancerSourceRanges = [], labels, annotations } = wishes ?? {};
  return {
    metadata: metadataOf(settings, name, {
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    }),
    spec: {
      type,
      // the NetworkPolicy of the members is to see the addresses of clients, and not those of nodes that pass them on
      ...(type === "LoadBalancer" && {
        externalTrafficPolicy: "Local",
        loadBalancerSourceRanges: [...loadBalancerSourceRanges],
      }),
      selector,
      ports: [portOf(engine.ports.client)],
    },
  };
}

/** The Service for reading and writing. */
export function readWriteServiceOf(settings: Settings, engine: Engine): k8s.core.v1.ServiceArgs {
  const selector = roleSelector(settings.name, "primary");
  return clientServiceOf(settings, readWriteServiceName(settings.name), {
    selector,
    engine,
    wishes: settings.services?.readWrite,
  });
}

/** The Service for reading; a single member has no replica, so there it leads to the primary. */
export function readOnlyServiceOf(settings: Settings, engine: Engine): k8s.core.v1.ServiceArgs {
  const role = settings.replicas > 1 ? "replica" : "primary";
  const selector = roleSelector(settings.name, role);
  return clientServiceOf(settings, readOnlyServiceName(settings.name), {
    selector,
    engine,
    wishes: settings.services?.readOnly,
  });
}

/**
 * The Service for reading from any member that is ready: where there is but one replica, the one above leads nowhere while that is away. Members are
 * ready only where they serve, so their role does not matter.
 */
export function anyMemberServiceOf(settings: Settings, engine: Engine): k8s.core.v1.ServiceArgs {
  const selector = memberSelector(settings.name);
  return clientServiceOf(settings, anyMemberServiceName(settings.name), {
    selector,
    engine,
    wishes: settings.services?.any,
  });
}

/** The Service that gives members host names, ready or not, and carries the metrics port. */
export function headlessServiceOf(settings: Settings, engine: Engine): k8s.core.v1.ServiceArgs {
  const metrics = settings.monitoring.enabled ? [engine.ports.metrics] : [];
  const ports = [engine.ports.client, ...engine.ports.members, ...metrics];
  return {
    metadata: metadataOf(settings, headlessServiceName(settings.name)),
    spec: {
      type: "ClusterIP",
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: memberSelector(settings.name),
      ports: ports.map(portOf),
    },
  };
}

// By number: a target port by name would need the same name in every container that ever runs.
const portOf = ({ name, port }: Port): k8s.types.input.core.v1.ServicePort => ({
  name,
  port,
  targetPort: port,
  protocol: "TCP",
});

/** The Services `<name>`, `<name>-ro`, `<name>-any` and `<name>-headless`. */
export class Services extends pulumi.ComponentResource {
  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Services", name, {}, opts);
    const { settings, engine } = args;
    const child = { parent: this };
    new k8s.core.v1.Service(readWriteServiceName(name), readWriteServiceOf(settings, engine), child);
    new k8s.core.v1.Service(readOnlyServiceName(name), readOnlyServiceOf(settings, engine), child);
    new k8s.core.v1.Service(anyMemberServiceName(name), anyMemberServiceOf(settings, engine), child);
    new k8s.core.v1.Service(headlessServiceName(name), headlessServiceOf(settings, engine), child);
    this.registerOutputs({});
  }
}
