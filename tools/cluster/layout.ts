// Names of the files in a cluster's directory.
import { join } from "node:path";

/** Files and directories of one cluster, as absolute paths. */
export interface Layout {
  /** The cluster's own directory; everything else is in it. */
  directory: string;
  /** What the cluster is, for the next command: see state.ts. */
  state: string;
  /** Cluster-admin's kubeconfig. */
  kubeconfig: string;
  certificates: string;
  /** One file for each component. */
  kubeconfigs: string;
  etcd: string;
  auditPolicy: string;
  /** One JSON event per request, at level Metadata. */
  auditLog: string;
  /** What each process prints: `<name>.log`. */
  logs: string;
  /** Which processes were started: `<name>.json`. */
  processes: string;
  /** For the nodes' own files. */
  nodes: string;
}

/** The layout of the cluster in `directory`. */
export function layoutOf(directory: string): Layout {
  const at = (name: string): string => join(directory, name);
  return {
    directory,
    state: at("cluster.json"),
    kubeconfig: at("kubeconfig"),
    certificates: at("certificates"),
    kubeconfigs: at("kubeconfigs"),
    etcd: at("etcd"),
    auditPolicy: at("audit-policy.yaml"),
    auditLog: at("audit.log"),
    logs: at("logs"),
    processes: at("processes"),
    nodes: at("nodes"),
  };
}
