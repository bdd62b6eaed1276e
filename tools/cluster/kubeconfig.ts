// Writes kubeconfigs that carry their certificates inside.
import { stringify } from "yaml";

/** Who talks to which API server. Certificates and key are PEM texts. */
export interface KubeconfigArgs {
  /** Name of the context, and of its cluster. */
  name: string;
  /** URL of the API server. */
  server: string;
  certificateAuthority: string;
  user: string;
  certificate: string;
  key: string;
}

/** A kubeconfig with one context, as YAML. */
export function kubeconfigOf(args: KubeconfigArgs): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: args.name,
        cluster: { server: args.server, "certificate-authority-data": base64(args.certificateAuthority) },
      },
    ],
    users: [
      {
        name: args.user,
        user: { "client-certificate-data": base64(args.certificate), "client-key-data": base64(args.key) },
      },
    ],
    contexts: [{ name: args.name, context: { cluster: args.name, user: args.user } }],
    "current-context": args.name,
  });
}
