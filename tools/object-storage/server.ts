// A server on this machine that speaks S3 over TLS: the program, how it is started, and the files that it keeps.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { provideTools } from "../build/build";
import { openCertificates } from "../cluster/certificates";
import { freePorts } from "../host/ports";
import type { Progress } from "../progress";

/** The one bucket. */
export const bucket = "backups";

/** The one account. */
export const account = { id: "object-storage", secret: "secret-of-the-object-storage" } as const;

/** A server that can be started, again and again, with what it had. */
export interface Server {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Path of the certificate of the authority that its clients must trust. */
  readonly authority: string;
  /** Where the objects of the bucket lie, as files. */
  readonly bucketDirectory: string;
}

export interface ServerArgs {
  /** For certificates and objects; what is there already stays. */
  readonly directory: string;
  /** What clients call it: the host name of its certificate. */
  readonly host: string;
  /** Where the building of the program is shown. */
  readonly progress: Progress;
}

/** Prepares a server with an empty bucket, or with the one that is in the directory. It is not started. */
export async function prepareServer({ directory, host, progress }: ServerArgs): Promise<Server> {
  const command = (await provideTools(["versitygw"], { progress })).get("versitygw");
  if (command === undefined) throw new Error("unreachable: the tool was provided");
  const certificates = await openCertificates({
    ...{ cluster: "object-storage", directory: join(directory, "tls"), kubeconfigs: join(directory, "none") },
  });
  const { certificate, key } = await certificates.server(host, { user: host }, [host]);
  const data = join(directory, "data");
  const bucketDirectory = join(data, bucket);
  await mkdir(bucketDirectory, { recursive: true });
  const [port] = await freePorts();
  return {
    ...{ command, port, bucketDirectory, authority: certificates.authority },
    args: ["--quiet", "--port", `:${port}`, "--cert", certificate, "--key", key, "posix", data],
    env: { ROOT_ACCESS_KEY: account.id, ROOT_SECRET_KEY: account.secret },
  };
}
