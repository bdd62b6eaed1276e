// Looks, before anything is installed, whether the cluster's Kubernetes is new enough.
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { KubeConfig, VersionApi } from "@kubernetes/client-node";
import * as pulumi from "@pulumi/pulumi";
import { kubernetesProblem, type KubernetesVersion } from "../components/kubernetes-version";

/** How the Kubernetes provider of the stack finds its cluster, by its own settings. */
export interface ClusterSettings {
  /** A file, or what would be in it. Default: that of kubectl. */
  readonly kubeconfig?: string | undefined;
  /** Default: the kubeconfig's current one. */
  readonly context?: string | undefined;
}

/** A cluster that does not answer is left to the provider, which says so. */
const longestMs = 10_000;

/**
 * Rejects where the cluster's Kubernetes is too old: without this, `pulumi up` would stop halfway, at the first kind that the API server does not
 * know. Resolves where nothing can be determined.
 */
export async function requireKubernetes(settings: ClusterSettings): Promise<void> {
  const late = delay(longestMs, undefined, { ref: false });
  const version = await Promise.race([versionOf(settings), late]).catch(() => undefined);
  const problem = version && kubernetesProblem(version);
  if (problem !== undefined) throw new pulumi.RunError(problem);
}

async function versionOf(settings: ClusterSettings): Promise<KubernetesVersion> {
  return configOf(settings).makeApiClient(VersionApi).getCode();
}

function configOf({ kubeconfig, context }: ClusterSettings): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else if (existsSync(kubeconfig)) config.loadFromFile(kubeconfig);
  else config.loadFromString(kubeconfig);
  if (context !== undefined) config.setCurrentContext(context);
  return config;
}
