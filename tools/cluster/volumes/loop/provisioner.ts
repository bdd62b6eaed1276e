// Brings the volume provisioner into a cluster: its StorageClass, its rights and its process.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { KubernetesApi } from "../../api";
import type { NodeCluster } from "../../nodes/nodes";
import { STORAGE_CLASS } from "./objects";

/** Creates the StorageClass `standard`, the default one. */
export async function makeLoopClass(api: KubernetesApi): Promise<void> {
  await api.apply(`/apis/storage.k8s.io/v1/storageclasses/${STORAGE_CLASS.metadata.name}`, STORAGE_CLASS);
}

/** Where the provisioner runs and what it works on. */
export interface ProvisionerArgs {
  /** Starts a program where the node sees its mounts. */
  start: (process: { name: string; command: string; args: readonly string[] }) => void;
  /** Name of the process in the cluster. */
  process: string;
  /** URL of the API server as the provisioner reaches it. */
  server: string;
  /** Name of the node that has the volumes. */
  node: string;
  /** Directory for the files that hold volumes. */
  files: string;
  /** Directory below which volumes are mounted, as the kubelet sees it. */
  mounts: string;
}

const USER = "database-operator:volumes";

/** Starts the provisioner. */
export async function startProvisioner(cluster: NodeCluster, args: ProvisionerArgs): Promise<void> {
  for (const [path, object] of rights()) await cluster.api.apply(path, object);
  const kubeconfig = await cluster.certificates.kubeconfig({
    name: "volumes",
    subject: { user: USER },
    server: args.server,
    file: join(cluster.layout.nodes, "volumes.kubeconfig"),
  });
  const loader = pathToFileURL(createRequire(__filename).resolve("tsx")).href;
  const flags = ["--kubeconfig", kubeconfig, "--node", args.node, "--files", args.files, "--mounts", args.mounts];
  args.start({
    name: args.process,
    command: process.execPath,
    args: ["--import", loader, require.resolve("./main"), ...flags],
  });
}

function rights(): [path: string, object: object][] {
  const rbac = "rbac.authorization.k8s.io";
  const rule = (resources: string[], verbs: string[], group = ""): object => ({ apiGroups: [group], resources, verbs });
  return [
    [
      `/apis/${rbac}/v1/clusterroles/${USER}`,
      {
        apiVersion: `${rbac}/v1`,
        kind: "ClusterRole",
        metadata: { name: USER },
        rules: [
          rule(["persistentvolumes"], ["get", "list", "watch", "create", "patch", "delete"]),
          rule(["persistentvolumeclaims"], ["get", "list", "watch"]),
          rule(["persistentvolumeclaims/status"], ["patch"]),
          rule(["storageclasses"], ["get"], "storage.k8s.io"),
        ],
      },
    ],
    [
      `/apis/${rbac}/v1/clusterrolebindings/${USER}`,
      {
        apiVersion: `${rbac}/v1`,
        kind: "ClusterRoleBinding",
        metadata: { name: USER },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: USER },
        subjects: [{ apiGroup: rbac, kind: "User", name: USER }],
      },
    ],
  ];
}
