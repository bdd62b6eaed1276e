// The command lines of the control plane's programs.
import { basename } from "node:path";
import type { CertificateFiles } from "./certificates";
import type { Layout } from "./layout";

const LOCAL = "127.0.0.1";

/** Flags of etcd: one member, TLS on its client port, no fsync: the data of a development cluster may be lost with the machine. */
export function etcdFlags(args: {
  layout: Layout;
  port: number;
  authority: string;
  server: CertificateFiles;
}): string[] {
  const url = `https://${LOCAL}:${args.port}`;
  return [
    `--name=${basename(args.layout.directory)}`,
    `--data-dir=${args.layout.etcd}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=http://${LOCAL}:0`,
    `--cert-file=${args.server.certificate}`,
    `--key-file=${args.server.key}`,
    `--trusted-ca-file=${args.authority}`,
    "--client-cert-auth",
    "--unsafe-no-fsync",
    "--log-level=warn",
  ];
}

/** The flags of the API server. */
export interface ApiServerArgs {
  layout: Layout;
  port: number;
  etcdPort: number;
  serviceCidr: string;
  /** Where pods reach it; absent when no pod does. */
  advertiseAddress?: string;
  authority: string;
  server: CertificateFiles;
  etcdClient: CertificateFiles;
  kubeletClient: CertificateFiles;
  serviceAccounts: CertificateFiles;
  /** What it shows to APIs that it hands requests on to; its name is the only one that may say for whom it asks. */
  frontProxy: CertificateFiles & { readonly name: string };
  extra?: readonly string[];
}

/** Flags of the API server: TLS, Node and RBAC authorization, an audit log. */
export function apiServerFlags(args: ApiServerArgs): string[] {
  return [
    `--secure-port=${args.port}`,
    ...reachability(args.advertiseAddress),
    `--service-cluster-ip-range=${args.serviceCidr}`,
    `--etcd-servers=https://${LOCAL}:${args.etcdPort}`,
    `--etcd-cafile=${args.authority}`,
    `--etcd-certfile=${args.etcdClient.certificate}`,
    `--etcd-keyfile=${args.etcdClient.key}`,
    `--tls-cert-file=${args.server.certificate}`,
    `--tls-private-key-file=${args.server.key}`,
    `--client-ca-file=${args.authority}`,
    `--kubelet-client-certificate=${args.kubeletClient.certificate}`,
    `--kubelet-client-key=${args.kubeletClient.key}`,
    "--kubelet-preferred-address-types=InternalIP",
    "--authorization-mode=Node,RBAC",
    // the second: who names an owner that must wait for it needs a right on the owner; some distributions check that
    "--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement",
    "--allow-privileged=true",
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${args.serviceAccounts.certificate}`,
    `--service-account-signing-key-file=${args.serviceAccounts.key}`,
    ...aggregation(args),
    `--audit-policy-file=${args.layout.auditPolicy}`,
    `--audit-log-path=${args.layout.auditLog}`,
    "--audit-log-maxsize=200",
    "--audit-log-maxbackup=1",
    ...(args.extra ?? []),
  ];
}

/** As kubeadm has it, but for the authority, which is the cluster's own here. */
function aggregation({ authority, frontProxy }: Pick<ApiServerArgs, "authority" | "frontProxy">): string[] {
  return [
    `--requestheader-client-ca-file=${authority}`,
    `--requestheader-allowed-names=${frontProxy.name}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${frontProxy.certificate}`,
    `--proxy-client-key-file=${frontProxy.key}`,
  ];
}

function reachability(advertiseAddress: string | undefined): string[] {
  if (advertiseAddress !== undefined) return [`--advertise-address=${advertiseAddress}`, "--bind-address=0.0.0.0"];
  // a loopback address is refused as an endpoint of the Service kubernetes, which is not needed here
  return [`--advertise-address=${LOCAL}`, `--bind-address=${LOCAL}`, "--endpoint-reconciler-type=none"];
}

/** The flags of the controller manager. */
export interface ControllerManagerArgs {
  kubeconfig: string;
  authority: string;
  authorityKey: string;
  serviceAccounts: CertificateFiles;
  /** Provisions volumes as empty directories of this machine. */
  hostPathVolumes: boolean;
  extra?: readonly string[];
}

/** Flags of the controller manager: no port of its own, no leader election, a rate of requests that suits tests. */
export function controllerManagerFlags(args: ControllerManagerArgs): string[] {
  return [
    `--kubeconfig=${args.kubeconfig}`,
    "--secure-port=0",
    "--leader-elect=false",
    "--use-service-account-credentials=true",
    // at the default rate of 20 requests a second the start alone takes five seconds
    "--kube-api-qps=200",
    "--kube-api-burst=400",
    `--service-account-private-key-file=${args.serviceAccounts.key}`,
    `--root-ca-file=${args.authority}`,
    `--cluster-signing-cert-file=${args.authority}`,
    `--cluster-signing-key-file=${args.authorityKey}`,
    `--enable-hostpath-provisioner=${args.hostPathVolumes}`,
    ...(args.extra ?? []),
  ];
}

/** Flags of the scheduler: no port of its own, no leader election. */
export function schedulerFlags(args: { kubeconfig: string; extra?: readonly string[] }): string[] {
  return [`--kubeconfig=${args.kubeconfig}`, "--secure-port=0", "--leader-elect=false", ...(args.extra ?? [])];
}

/** The first address of a Service range, which the Service kubernetes gets: 10.96.0.0/16 → 10.96.0.1. */
export function firstServiceAddress(cidr: string): string {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/\d+$/.exec(cidr);
  if (!match) throw new Error(`"${cidr}" is not a range of IPv4 addresses`);
  const [a, b, c, d] = match.slice(1).map(Number) as [number, number, number, number];
  return `${a}.${b}.${c}.${d + 1}`;
}
