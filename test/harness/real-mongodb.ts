// MongoDB's protocol on real nodes: the real driver with the credentials Secret.
import { isIP } from "node:net";
import { MongoClient, type MongoClientOptions } from "mongodb";
import { z } from "zod";
import { readSecret, type Kubectl } from "./kubectl";

/** A value of a Secret, in clear. */
export async function valueOf(kubectl: Kubectl, secret: string, namespace: string, key: string): Promise<string> {
  return Buffer.from((await readSecret(kubectl, secret, namespace))[key] ?? "", "base64").toString();
}

const Pod = z.object({ status: z.object({ podIP: z.string() }) });

/** The address of a member's pod. Throws while it has none. */
export async function addressOf(kubectl: Kubectl, namespace: string, pod: string): Promise<string> {
  return Pod.parse(await kubectl.find("pod", pod, namespace)).status.podIP;
}

/** Where the client runs, and what it connects to. */
export interface ClientArgs {
  readonly kubectl: Kubectl;
  readonly namespace: string;
  /** Connection string, as in a credentials Secret. */
  readonly uri: string;
  /** Options of the driver beside those of the connection string. */
  readonly options?: MongoClientOptions;
}

/** Does the work with a client. This machine asks no cluster's name server, so pods are looked up by their names. */
export async function withClient<T>(args: ClientArgs, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const { kubectl, namespace, uri, options } = args;
  const lookup: MongoClientOptions["lookup"] = (host, asked, done) => {
    const pod = host.split(".")[0] ?? "";
    const found = isIP(host) > 0 ? Promise.resolve(host) : addressOf(kubectl, namespace, pod);
    found.then(
      (address) => {
        if (asked.all === true) done(null, [{ address, family: 4 }]);
        else done(null, address, 4);
      },
      (error: unknown) => {
        done(error instanceof Error ? error : new Error(String(error)), "", 4);
      },
    );
  };
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000, ...options, lookup });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
