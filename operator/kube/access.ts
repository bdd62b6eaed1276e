// How the API server is reached, and how a client proves who it is: by a kubeconfig.
import { HttpMethod, RequestContext, type KubeConfig } from "@kubernetes/client-node";
import type { Access } from "./client";

/** Access by the current context. Throws when `config` has no current cluster. */
export function accessOf(config: KubeConfig): Access {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error("the kubeconfig has no current cluster: set KUBECONFIG or choose a context");
  return {
    server: cluster.server.replace(/\/$/, ""),
    async headers(url, method) {
      const context = new RequestContext(url, HttpMethod[method]);
      await config.applySecurityAuthentication(context);
      return context.getHeaders();
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
