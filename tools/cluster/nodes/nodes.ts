// What a cluster asks of its nodes, and the choice between real and simulated ones.
import { z } from "zod";
import type { Log } from "../../host/command";
import type { ToolPaths } from "../../build/build";
import type { Certificates } from "../certificates";
import type { KubernetesApi } from "../api";
import type { Layout } from "../layout";
import type { Processes } from "../processes";

/** How pods run: by a kubelet with containers on this machine, or only in name. */
export const NodeKind = z.enum(["real", "simulated"]);
export type NodeKind = z.infer<typeof NodeKind>;

/** What the control plane needs to know of its nodes before it starts. */
export interface ControlPlaneOptions {
  /** Address under which pods reach the API server; it exists already. Default: 127.0.0.1, for clusters without real pods. */
  advertiseAddress?: string;
  /** Addresses of Services. Default: 10.96.0.0/16. */
  serviceCidr?: string;
  /** Further names and addresses in the API server's certificate. */
  certificateAddresses?: readonly string[];
  /** Further flags, placed last; a flag that is given twice counts by its last value. */
  apiServerFlags?: readonly string[];
  controllerManagerFlags?: readonly string[];
  schedulerFlags?: readonly string[];
  /**
   * `none` when the nodes bring a default StorageClass of their own. Default `host-path`: the controller manager
   * provisions empty directories, and the default StorageClass `standard` is created.
   */
  volumes?: "host-path" | "none";
  /** Tools the nodes run; they are provided before the control plane starts. */
  tools?: readonly string[];
}

/** A cluster as its nodes see it. */
export interface NodeCluster {
  readonly name: string;
  /** Where everything of the cluster lives; removed by `stop` after the nodes have stopped. */
  readonly directory: string;
  readonly layout: Layout;
  /** Paths of the programs: those of the control plane and those asked for in ControlPlaneOptions. */
  readonly tools: ToolPaths;
  /** URL of the API server on this machine, such as https://127.0.0.1:21044. */
  readonly apiServer: string;
  /** Port of the API server on every address it listens on. */
  readonly apiServerPort: number;
  readonly serviceCidr: string;
  /** Issues certificates and kubeconfigs by the cluster's authority. */
  readonly certificates: Certificates;
  /** Starts and stops detached processes that belong to the cluster. */
  readonly processes: Processes;
  /** Requests to the API server as cluster-admin. */
  readonly api: KubernetesApi;
  /** Shows a line of progress. */
  readonly log: Log;
  /** Aborted when starting is given up. */
  readonly signal?: AbortSignal;
}

/** The part of a cluster that is known before the control plane runs, and after its files may be damaged. */
export type NodePlace = Pick<NodeCluster, "name" | "directory" | "layout" | "processes" | "log">;

/** Nodes of one kind. All methods may be called again after a crash: they pick up what is there. */
export interface NodePool {
  readonly kind: NodeKind;
  /**
   * Called before the control plane starts: creates what its addresses need (a bridge, say) and returns what it must know.
   * Throws, saying what to do, when nodes of this kind cannot run beside another cluster's.
   */
  controlPlaneOptions(place: NodePlace): Promise<ControlPlaneOptions>;
  /** Called with a ready API server: returns when all nodes are Ready and volumes can be claimed. */
  start(cluster: NodeCluster): Promise<void>;
  /** Called before the control plane is ended, which may be dead: leaves no process, mount or network device behind. */
  stop(place: NodePlace): Promise<void>;
  /** Answers whether everything that `start` started still runs. */
  isRunning(place: NodePlace): Promise<boolean>;
}
