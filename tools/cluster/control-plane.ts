// Starts etcd, the API server, the controller manager and the scheduler of one cluster, and waits until they work.
import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { z } from "zod";
import type { ToolPaths } from "../build/build";
import { waitFor } from "../host/wait";
import type { Progress } from "../progress";
import { ApiError, type KubernetesApi, openApi } from "./api";
import { auditPolicy } from "./audit";
import type { CertificateFiles, Certificates } from "./certificates";
import { apiServerFlags, controllerManagerFlags, etcdFlags, firstServiceAddress, schedulerFlags } from "./flags";
import type { Layout } from "./layout";
import type { ControlPlaneOptions } from "./nodes/nodes";
import type { Processes } from "./processes";
import type { ClusterState } from "./state";
import { makeHostPathClass } from "./volumes/storage-class";

/** The programs of a control plane. */
export const controlPlaneTools = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;

/** Default range of Services' addresses. */
export const DEFAULT_SERVICE_CIDR = "10.96.0.0/16";

/** What a control plane consists of. */
export interface ControlPlaneArgs {
  layout: Layout;
  state: ClusterState;
  options: ControlPlaneOptions;
  certificates: Certificates;
  processes: Processes;
  tools: ToolPaths;
  progress: Progress;
  signal?: AbortSignal;
}

const TIMEOUT_SECONDS = 60;

/** Who the API server is to APIs that it hands requests on to. */
const FRONT_PROXY = "front-proxy-client";

/** A fifth of the default's collections of garbage: they take a third of the CPU of small heaps that grow fast, and memory is there. */
const COLLECT_SELDOM = { GOGC: "500" } as const;

/** Starts what does not run, returns when the API server is ready and controllers work; the client is cluster-admin's. */
export async function startControlPlane(at: ControlPlaneArgs): Promise<KubernetesApi> {
  const kubeconfigs = await at.progress.step("certificates", () => writeKubeconfigs(at));
  const serviceAccounts = await at.certificates.keyPair("service-accounts");
  await at.progress.step("etcd and API server", async () => {
    await startEtcd(at);
    await startApiServer(at, serviceAccounts);
  });
  const api = await openApi(at.layout.kubeconfig);
  await at.progress.step("API server ready", () => apiServerReady(api, at));
  await at.progress.step("controllers", async () => {
    at.processes.start({
      name: "kube-controller-manager",
      command: toolPath(at.tools, "kube-controller-manager"),
      env: COLLECT_SELDOM,
      args: controllerManagerFlags({
        kubeconfig: kubeconfigs.controllerManager,
        authority: at.certificates.authority,
        authorityKey: at.certificates.authorityKey,
        serviceAccounts,
        hostPathVolumes: at.options.volumes !== "none",
        extra: at.options.controllerManagerFlags,
      }),
    });
    at.processes.start({
      name: "kube-scheduler",
      command: toolPath(at.tools, "kube-scheduler"),
      env: COLLECT_SELDOM,
      args: schedulerFlags({ kubeconfig: kubeconfigs.scheduler, extra: at.options.schedulerFlags }),
    });
    if (at.options.volumes !== "none") await makeHostPathClass(api);
    await controllersReady(api, at);
  });
  return api;
}

/** The path of a provided tool. Throws when it was not provided. */
export function toolPath(tools: ToolPaths, name: string): string {
  const path = tools.get(name);
  if (path === undefined) throw new Error(`${name} was not provided: add it to the tools of the cluster`);
  return path;
}

async function writeKubeconfigs(at: ControlPlaneArgs): Promise<{ controllerManager: string; scheduler: string }> {
  const server = `https://127.0.0.1:${at.state.apiServerPort}`;
  const admin = { user: "admin", groups: ["system:masters"] };
  await at.certificates.kubeconfig({ name: "admin", subject: admin, server, file: at.layout.kubeconfig });
  const component = (name: string): Promise<string> =>
    at.certificates.kubeconfig({ name, subject: { user: `system:${name}` }, server });
  return {
    controllerManager: await component("kube-controller-manager"),
    scheduler: await component("kube-scheduler"),
  };
}

async function startEtcd(at: ControlPlaneArgs): Promise<void> {
  const server = await at.certificates.server("etcd", { user: "etcd" }, ["localhost", "127.0.0.1"]);
  at.processes.start({
    name: "etcd",
    command: toolPath(at.tools, "etcd"),
    env: COLLECT_SELDOM,
    args: etcdFlags({ layout: at.layout, port: at.state.etcdPort, authority: at.certificates.authority, server }),
  });
}

async function startApiServer(at: ControlPlaneArgs, serviceAccounts: CertificateFiles): Promise<void> {
  const serviceCidr = at.options.serviceCidr ?? DEFAULT_SERVICE_CIDR;
  const { advertiseAddress } = at.options;
  const addresses = [
    ...["localhost", "127.0.0.1", hostname(), firstServiceAddress(serviceCidr)],
    ...["kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"],
    ...(advertiseAddress === undefined ? [] : [advertiseAddress]),
    ...(at.options.certificateAddresses ?? []),
  ];
  await writeFile(at.layout.auditPolicy, auditPolicy);
  at.processes.start({
    name: "kube-apiserver",
    command: toolPath(at.tools, "kube-apiserver"),
    env: COLLECT_SELDOM,
    args: apiServerFlags({
      layout: at.layout,
      port: at.state.apiServerPort,
      etcdPort: at.state.etcdPort,
      serviceCidr,
      advertiseAddress,
      authority: at.certificates.authority,
      server: await at.certificates.server("kube-apiserver", { user: "kube-apiserver" }, addresses),
      etcdClient: await at.certificates.client("etcd-client", { user: "kube-apiserver-etcd-client" }),
      kubeletClient: await at.certificates.client("kubelet-client", {
        user: "kube-apiserver-kubelet-client",
        groups: ["system:masters"],
      }),
      serviceAccounts,
      frontProxy: { name: FRONT_PROXY, ...(await at.certificates.client(FRONT_PROXY, { user: FRONT_PROXY })) },
      extra: at.options.apiServerFlags,
    }),
  });
}

async function apiServerReady(api: KubernetesApi, at: ControlPlaneArgs): Promise<void> {
  const look = async (): Promise<true | undefined> => {
    mustRun(["etcd", "kube-apiserver"], at.processes);
    return (await isReady(api)) ? true : undefined;
  };
  await waitFor(look, { what: "the API server to be ready", timeoutSeconds: TIMEOUT_SECONDS, signal: at.signal });
}

/** Answers whether the API server serves. */
export async function isReady(api: KubernetesApi): Promise<boolean> {
  return await api.request("GET", "/readyz").then(
    () => true,
    () => false,
  );
}

/**
 * The controllers work when they have created the first ServiceAccount, without which no pod can be created, and given the first
 * namespace of this cluster's authority: objects that were saved from another cluster contain that one's.
 */
async function controllersReady(api: KubernetesApi, at: ControlPlaneArgs): Promise<void> {
  const authority = await readFile(at.certificates.authority, "utf8");
  const look = async (): Promise<true | undefined> => {
    mustRun(["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"], at.processes);
    const account = await getIfThere(api, "/api/v1/namespaces/default/serviceaccounts/default");
    if (account === undefined) return undefined;
    const told = await getIfThere(api, "/api/v1/namespaces/default/configmaps/kube-root-ca.crt");
    return Authority.safeParse(told).data?.data["ca.crt"] === authority ? true : undefined;
  };
  await waitFor(look, { what: "the controllers to work", timeoutSeconds: TIMEOUT_SECONDS, signal: at.signal });
}

const Authority = z.object({ data: z.object({ "ca.crt": z.string() }) });

/** An object, or undefined when it does not exist. */
export async function getIfThere(api: KubernetesApi, path: string): Promise<unknown> {
  return await api.request("GET", path).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
}

/** Throws with the end of its log when a process has ended. */
export function mustRun(names: readonly string[], processes: Processes): void {
  for (const name of names) {
    if (!processes.isRunning(name)) throw new Error(`${name} has ended; it printed last:\n${processes.tail(name)}`);
  }
}
