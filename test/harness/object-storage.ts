// Object storage for tests on real nodes: a server on this machine that speaks S3 over TLS, with a Service and Secrets for a namespace.
import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import {
  credentialsIn,
  destinationIn,
  endpointIn,
  hostIn,
  objectsIn,
  serviceIn,
  type Address,
  type Destination,
} from "../../tools/object-storage/objects";
import { account, bucket, prepareServer, type Server } from "../../tools/object-storage/server";
import { progressTo } from "../../tools/progress";
import type { Kubectl } from "./kubectl";

const Endpoints = z.object({ subsets: z.array(z.object({ addresses: z.array(z.object({ ip: z.string() })) })) });

/** See the header. */
export class ObjectStorage {
  readonly bucket = bucket;
  #running: ChildProcess | undefined;

  private constructor(
    private readonly kubectl: Kubectl,
    private readonly namespace: string,
    private readonly directory: string,
    private readonly server: Server,
  ) {}

  /** Starts it with an empty bucket, and lets the namespace know it. */
  static async start(kubectl: Kubectl, namespace: string): Promise<ObjectStorage> {
    const directory = await mkdtemp(join(tmpdir(), "object-storage-"));
    const host = hostIn(namespace);
    const server = await prepareServer({ directory, host, progress: progressTo(console.error) });
    const storage = new ObjectStorage(kubectl, namespace, directory, server);
    await storage.run();
    const reach = { ...(await storage.#addressIn(kubectl)), authority: await storage.authority() };
    for (const object of objectsIn(namespace, reach)) await kubectl.apply(object);
    return storage;
  }

  /** Lets the namespace of that name in another cluster reach it, by the same host name; without the Secrets. */
  async reachFrom(kubectl: Kubectl): Promise<void> {
    for (const object of serviceIn(this.namespace, await this.#addressIn(kubectl))) await kubectl.apply(object);
  }

  /** What a person has of it outside of any cluster: the keys. */
  get keys(): { readonly accessKeyId: string; readonly secretAccessKey: string } {
    return { accessKeyId: account.id, secretAccessKey: account.secret };
  }

  /** The certificate of its authority, PEM. */
  authority(): Promise<string> {
    return readFile(this.server.authority, "utf8");
  }

  /** `backup.destination` of a Database of the namespace. */
  get destination(): Destination {
    return destinationIn(this.namespace, "tests");
  }

  /** As pods of the namespace reach it, from either cluster. */
  get endpoint(): string {
    return endpointIn(this.namespace);
  }

  /** Where what lies at a path of the bucket lies on this machine. */
  pathOf(path: string): string {
    return join(this.server.bucketDirectory, path);
  }

  /** Of all files below paths of the bucket, with their names. */
  async digestOf(...paths: readonly string[]): Promise<string> {
    const hash = createHash("sha256");
    const entries = await Promise.all(
      paths.map((path) => readdir(this.pathOf(path), { recursive: true, withFileTypes: true })),
    );
    const files = entries
      .flat()
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const file of files.sort()) hash.update(file).update(await readFile(file));
    return `${files.length} ${hash.digest("hex")}`;
  }

  /** Starts the server again with what it had. */
  async run(): Promise<void> {
    const { command, args, env } = this.server;
    this.#running = spawn(command, args, { stdio: "ignore", env: { ...process.env, ...env } });
    await once(this.#running, "spawn");
  }

  /** Ends the server; what it has stays. */
  async halt(): Promise<void> {
    const server = this.#running;
    this.#running = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }

  /** Replaces the secret key that the namespace has. Default: by the right one. */
  async replaceKey(secret?: string): Promise<void> {
    await this.kubectl.apply(credentialsIn(this.namespace, secret));
  }

  /** Makes, or replaces, the Secret that encrypts the backups of a Database. */
  async replacePassphrase(name: string, passphrase: string): Promise<void> {
    const metadata = { name, namespace: this.namespace };
    await this.kubectl.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData: { passphrase } });
  }

  async stop(): Promise<void> {
    await this.halt();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** This machine has another address for the pods of each cluster. */
  async #addressIn(kubectl: Kubectl): Promise<Address> {
    const found = Endpoints.parse(await kubectl.find("endpoints", "kubernetes", "default"));
    const ip = found.subsets[0]?.addresses[0]?.ip;
    if (ip === undefined) throw new Error("the API server has no address");
    return { ip, port: this.server.port };
  }
}
