// How the API server is reached, and how the person proves who they are: as kubectl does, by the kubeconfig.
import { existsSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { Trouble } from "../command/trouble";
import type { Reach } from "../command/world";
import { kubectl } from "../kubectl";
import { chosenIn, kubeconfigAt, type Chosen, type Fields } from "./kubeconfig";
import { proxyFor } from "./proxy";
import { actingAs, isExpired, signedIn } from "./sign-in";

/** The way to one API server. */
export interface Access {
  /** URL without a slash at its end. */
  readonly server: string;
  readonly namespace: string;
  /** Undefined in a pod without a kubeconfig. */
  readonly context: string | undefined;
  readonly options: RequestOptions;
  readonly headers: OutgoingHttpHeaders;
}

/** Names of the contexts that there are. */
export const contextsOf = (kubeconfig: string | undefined): readonly string[] => [
  ...(kubeconfigAt(kubeconfig)?.contexts.keys() ?? []),
];

/** Runs what the kubeconfig names to sign in, such as a program. */
export async function accessTo(reach: Reach): Promise<Access> {
  const kubeconfig = kubeconfigAt(reach.kubeconfig);
  if (kubeconfig === undefined) return accessInPod(reach);
  const chosen = await renewed(chosenIn(kubeconfig, reach.context), reach);
  const { context, namespace, cluster, user } = chosen;
  const isPlain = cluster.server.startsWith("http:");
  // what the library would send over plain http, for which it wants to be told that this is meant
  const isCareless = isPlain && cluster["insecure-skip-tls-verify"] === true;
  const proxy = cluster["proxy-url"] || proxyFor(cluster.server, process.env);
  const config = configOf(
    {
      ...cluster,
      ...(isPlain && { "insecure-skip-tls-verify": true }),
      ...(proxy !== undefined && { "proxy-url": proxy }),
    },
    isPlain && !isCareless ? {} : await signedIn(chosen),
  );
  return { namespace, context, ...(await wayOf(config, actingAs(user, reach))) };
}

/** kubectl has renewed the token where it has expired. */
async function renewed(chosen: Chosen, { kubeconfig }: Reach): Promise<Chosen> {
  if (!isExpired(chosen, new Date())) return chosen;
  const file = kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`];
  const { code, stderr } = await kubectl(["get", "--raw=/version", `--context=${chosen.context}`, ...file], "");
  if (code !== 0) throw new Trouble(`kubectl cannot sign in: ${stderr.trim()}`, ["kubectl auth whoami"]);
  const again = kubeconfigAt(kubeconfig);
  return again === undefined ? chosen : chosenIn(again, chosen.context);
}

/** The library's, of one cluster and one user. */
function configOf(cluster: Fields, user: Fields): KubeConfig {
  const name = "chosen";
  const config = new KubeConfig();
  config.loadFromString(
    JSON.stringify({
      ...{ clusters: [{ name, cluster }], users: [{ name, user }] },
      contexts: [{ name, context: { cluster: name, user: name } }],
      "current-context": name,
    }),
  );
  return config;
}

const podToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

async function accessInPod(reach: Reach): Promise<Access> {
  if (!process.env["KUBERNETES_SERVICE_HOST"] || !existsSync(podToken))
    throw new Trouble("there is no kubeconfig", ["set KUBECONFIG, or write --kubeconfig FILE"]);
  const config = new KubeConfig();
  config.loadFromCluster();
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
  return { namespace, context: undefined, ...(await wayOf(config, actingAs({}, reach))) };
}

type Way = Pick<Access, "server" | "options" | "headers">;

async function wayOf(config: KubeConfig, acting: OutgoingHttpHeaders): Promise<Way> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Trouble(`cannot sign in as the kubeconfig says: ${message}`, ["kubectl auth whoami"]);
  }
  const server = (config.getCurrentCluster()?.server ?? "").replace(/\/$/, "");
  return { server, options, headers: { ...headersIn(options), ...acting } };
}

/** A list of pairs is not what the library makes. */
const headersIn = ({ headers = {} }: RequestOptions): OutgoingHttpHeaders =>
  Array.isArray(headers) ? {} : Object.fromEntries(Object.entries(headers));
