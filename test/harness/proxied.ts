// The fault proxy in the place of a cluster's API server: for operators that must meet it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { openCertificates } from "../../tools/cluster/certificates";
import type { Cluster } from "../../tools/cluster/cluster";
import { layoutOf } from "../../tools/cluster/layout";
import { startFaultProxy, type FaultProxy } from "./fault-proxy";

/** The proxy speaks for the cluster's own authority: neither operator nor provider sees a difference. */
export async function startProxy({ name, directory, apiServer }: Cluster): Promise<FaultProxy> {
  const { certificates, kubeconfigs } = layoutOf(directory);
  const authority = await openCertificates({ cluster: name, directory: certificates, kubeconfigs });
  const files = await authority.server("fault-proxy", { user: "fault-proxy" }, ["127.0.0.1"]);
  const [ca, cert, key] = await Promise.all([
    readFile(authority.authority, "utf8"),
    readFile(files.certificate, "utf8"),
    readFile(files.key, "utf8"),
  ]);
  return startFaultProxy({ url: apiServer, ca }, { cert, key });
}

/** The environment of a program that must go through the proxy; its kubeconfig goes with the cluster. */
export async function proxiedEnvironment(
  environment: Readonly<Record<string, string>>,
  { directory }: Pick<Cluster, "directory">,
  proxy: Pick<FaultProxy, "url">,
): Promise<Readonly<Record<string, string>>> {
  const direct = await readFile(environment["KUBECONFIG"] ?? "", "utf8");
  const kubeconfig = join(directory, "proxied.kubeconfig");
  await writeFile(kubeconfig, throughProxy(direct, proxy.url), { mode: 0o600 });
  return { ...environment, KUBECONFIG: kubeconfig };
}

const Kubeconfig = z.looseObject({
  clusters: z.array(z.looseObject({ cluster: z.looseObject({ server: z.string() }) })).length(1),
});

/** The kubeconfig with the proxy in the API server's place. */
export function throughProxy(text: string, server: string): string {
  const config = Kubeconfig.parse(parse(text));
  const clusters = config.clusters.map((entry) => ({ ...entry, cluster: { ...entry.cluster, server } }));
  return stringify({ ...config, clusters });
}
