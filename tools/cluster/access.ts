// From a kubeconfig to the API server that it names, and what proves who asks: a certificate or a token.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

export interface Access {
  /** http or https. */
  readonly server: URL;
  /** In PEM; a part that the kubeconfig does not have is undefined. */
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly token: string | undefined;
}

const Cluster = z.object({
  server: z.url(),
  "certificate-authority-data": z.base64().optional(),
  "certificate-authority": z.string().optional(),
});
const User = z.object({
  token: z.string().optional(),
  "client-certificate-data": z.base64().optional(),
  "client-certificate": z.string().optional(),
  "client-key-data": z.base64().optional(),
  "client-key": z.string().optional(),
});
const Kubeconfig = z.object({
  clusters: z.array(z.object({ name: z.string(), cluster: Cluster })),
  users: z.array(z.object({ name: z.string(), user: User })),
  contexts: z.array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string() }) })),
  "current-context": z.string(),
});

/** Reads a kubeconfig's current context. Throws where it is incomplete, or gets its credentials from a program. */
export async function accessOf(kubeconfig: string): Promise<Access> {
  const config = Kubeconfig.parse(parse(await readFile(kubeconfig, "utf8")));
  const current = config["current-context"];
  const context = config.contexts.find(({ name }) => name === current)?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users.find(({ name }) => name === context?.user)?.user;
  if (cluster === undefined || user === undefined)
    throw new Error(`${kubeconfig} has no cluster or no user for its current context "${current}"`);
  const pem = async (data: string | undefined, file: string | undefined): Promise<Buffer | undefined> => {
    if (data !== undefined) return Buffer.from(data, "base64");
    return file === undefined ? undefined : readFile(resolve(dirname(kubeconfig), file));
  };
  const access = {
    server: new URL(cluster.server),
    ca: await pem(cluster["certificate-authority-data"], cluster["certificate-authority"]),
    cert: await pem(user["client-certificate-data"], user["client-certificate"]),
    key: await pem(user["client-key-data"], user["client-key"]),
    token: user.token,
  };
  if (access.token === undefined && access.cert === undefined && access.server.protocol === "https:")
    throw new Error(`${kubeconfig} has neither a certificate nor a token: create one with \`kubectl create token\``);
  return access;
}
