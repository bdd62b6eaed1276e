// The only file that imports @pulumi/kubernetesx. It uses PodBuilder for pod specs and nothing else: the archived
// package's StatefulSet and Job force names and selectors of their own.
import type * as k8s from "@pulumi/kubernetes";
import * as kx from "@pulumi/kubernetesx";
import type * as pulumi from "@pulumi/pulumi";
import { containerSecurity, podSecurity, type Container, type Pod } from "../pod";

/** Builds the spec of a pod with restricted security. */
export function podSpecOf(pod: Pod): pulumi.Output<k8s.types.input.core.v1.PodSpec> {
  const { containers, volumes, ...rest } = pod;
  const builder = new kx.PodBuilder({
    ...rest,
    automountServiceAccountToken: pod.automountServiceAccountToken ?? false,
    // Service variables of the whole namespace would be noise that changes from pod to pod.
    enableServiceLinks: false,
    securityContext: podSecurity,
    containers: containers.map(containerOf),
    volumes: [...volumes],
  });
  return builder.podSpec.apply(withoutEmptyLists);
}

function containerOf(container: Container): kx.types.Container {
  const { mounts, env, ports, ...rest } = container;
  return {
    ...rest,
    env: env && { ...env },
    ports: ports && { ...ports },
    volumeMounts: Object.entries(mounts ?? {}).map(([name, mountPath]) => ({ name, mountPath })),
    securityContext: containerSecurity,
  };
}

/** PodBuilder fills in empty lists, which the API server does not keep: a refresh would show them as a difference. */
function withoutEmptyLists<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutEmptyLists(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => !(Array.isArray(item) && item.length === 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutEmptyLists(item as unknown)])) as T;
}
