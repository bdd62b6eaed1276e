// How the API server is reached, and how the person proves who they are: as kubectl does, by the kubeconfig.
import { readFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { Trouble } from "../command/trouble";
import type { Reach } from "../command/world";

/** The way to one API server. */
export interface Access {
  /** URL without a slash at its end. */
  readonly server: string;
  readonly namespace: string;
  readonly user: string | undefined;
  /** For the hints of errors. */
  readonly context: string;
  readonly options: RequestOptions;
  readonly headers: OutgoingHttpHeaders;
}

/** The kubeconfig, by the rules of kubectl. */
export function kubeconfigAt(file: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromString(textOf(file));
  return config;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Trouble(`cannot read the kubeconfig ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Runs what the kubeconfig names to sign in, such as an exec plugin. */
export async function accessTo({ kubeconfig, context, as, groups }: Reach): Promise<Access> {
  const config = kubeconfigAt(kubeconfig);
  if (context !== undefined) choose(config, context);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Trouble("the kubeconfig has no current context", ["kubectl config get-contexts"]);
  // what the library puts in the place of a kubeconfig that there is not
  if (cluster.server === "http://localhost:8080")
    throw new Trouble("there is no kubeconfig", ["set KUBECONFIG, or write --kubeconfig FILE"]);
  const options: RequestOptions = {};
  await signIn(config, options);
  return {
    server: cluster.server.replace(/\/$/, ""),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? "default",
    user: as ?? config.getCurrentUser()?.name,
    context: config.getCurrentContext(),
    options,
    headers: { ...headersIn(options), ...impersonation(as, groups) },
  };
}

function choose(config: KubeConfig, context: string): void {
  const names = config.getContexts().map(({ name }) => name);
  if (!names.includes(context))
    throw new Trouble(`the kubeconfig has no context "${context}"`, [`it has: ${names.join(", ") || "none"}`]);
  config.setCurrentContext(context);
}

async function signIn(config: KubeConfig, options: RequestOptions): Promise<void> {
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Trouble(`cannot sign in as the kubeconfig says: ${message}`, ["kubectl auth whoami"]);
  }
}

/** A list of pairs is not what the library makes. */
const headersIn = ({ headers = {} }: RequestOptions): OutgoingHttpHeaders =>
  Array.isArray(headers) ? {} : Object.fromEntries(Object.entries(headers));

const impersonation = (as: string | undefined, groups: readonly string[]): Record<string, string | string[]> => ({
  ...(as !== undefined && { "Impersonate-User": as }),
  ...(groups.length > 0 && { "Impersonate-Group": [...groups] }),
});
