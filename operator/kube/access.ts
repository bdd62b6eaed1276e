// How the API server is reached, and how a client proves who it is: by a kubeconfig.
import { HttpMethod, RequestContext, type KubeConfig } from "@kubernetes/client-node";
import type { Access } from "./client";

/** How long headers are used again, in milliseconds: to compute them reads files and opens what a request never uses. */
const headersForMs = 10_000;

/** Access by the current context. Throws when `config` has no current cluster. */
export function accessOf(config: KubeConfig): Access {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error("the kubeconfig has no current cluster: set KUBECONFIG or choose a context");
  const server = cluster.server.replace(/\/$/, "");
  const makeHeaders = async (): Promise<Record<string, string>> => {
    const context = new RequestContext(server, HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    return context.getHeaders();
  };
  let made: { readonly headers: Promise<Record<string, string>>; readonly until: number } | undefined;
  return {
    server,
    headers() {
      if (made === undefined || Date.now() >= made.until) {
        made = { headers: makeHeaders(), until: Date.now() + headersForMs };
        made.headers.catch(() => (made = undefined));
      }
      return made.headers;
    },
    async connection() {
      const options: { ca?: string; cert?: string; key?: string; rejectUnauthorized?: boolean; servername?: string } =
        {};
      await config.applyToHTTPSOptions(options);
      const { ca, cert, key, rejectUnauthorized, servername } = options;
      return { ca, cert, key, rejectUnauthorized, servername };
    },
  };
}
