// How the API server is reached, and how a client proves who it is: by a kubeconfig.
import { HttpMethod, RequestContext, type KubeConfig } from "@kubernetes/client-node";
import type { Access } from "./client";

/** How long headers are used again, in milliseconds: to make them reads files and opens what a request never uses. */
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
  let made = { headers: Promise.resolve<Record<string, string>>({}), until: 0 };
  return {
    server,
    headers() {
      if (Date.now() < made.until) return made.headers;
      const headers = makeHeaders();
      headers.catch(() => {
        made = { ...made, until: 0 };
      });
      made = { headers, until: Date.now() + headersForMs };
      return headers;
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
