// Object storage for tests on real nodes: a server on this machine that speaks S3 over TLS, with a Service and Secrets for a namespace.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { provideTools } from "../../tools/build/build";
import { openCertificates, type CertificateFiles } from "../../tools/cluster/certificates";
import { freePorts } from "../../tools/host/ports";
import { progressTo } from "../../tools/progress";
import type { Kubectl } from "./kubectl";

const account = { id: "the-tests", secret: "secret-of-the-tests" } as const;

/** The Secrets and the Service in the namespace. */
const names = { credentials: "s3", ca: "s3-ca", service: "s3" } as const;

const Endpoints = z.object({ subsets: z.array(z.object({ addresses: z.array(z.object({ ip: z.string() })) })) });

/** See the header. */
export class ObjectStorage {
  readonly bucket = "backups";
  readonly #kubectl: Kubectl;
  readonly #namespace: string;
  readonly #directory: string;
  readonly #port: number;
  readonly #program: string;
  readonly #certificate: CertificateFiles & { readonly authority: string };
  #server: ChildProcess | undefined;

  private constructor(of: Started) {
    this.#kubectl = of.kubectl;
    this.#namespace = of.namespace;
    this.#directory = of.directory;
    this.#port = of.port;
    this.#program = of.program;
    this.#certificate = of.certificate;
  }

  /** Starts it with an empty bucket, and lets the namespace know it. */
  static async start(kubectl: Kubectl, namespace: string): Promise<ObjectStorage> {
    const directory = await mkdtemp(join(tmpdir(), "object-storage-"));
    const [port] = await freePorts();
    const program = (await provideTools(["versitygw"], { progress: progressTo(console.error) })).get("versitygw");
    if (program === undefined) throw new Error("unreachable: the tool was provided");
    const certificates = await openCertificates({
      ...{ cluster: "object-storage", directory: join(directory, "tls"), kubeconfigs: join(directory, "none") },
    });
    const host = `${names.service}.${namespace}.svc`;
    const issued = await certificates.server("s3", { user: host }, [host]);
    const certificate = { ...issued, authority: certificates.authority };
    const storage = new ObjectStorage({ kubectl, namespace, directory, port, program, certificate });
    await mkdir(storage.#bucketDirectory, { recursive: true });
    await storage.run();
    await storage.#publish();
    return storage;
  }

  /** `backup.destination` of a Database of the namespace. */
  get destination(): unknown {
    const endpoint = `https://${names.service}.${this.#namespace}.svc:${this.#port}`;
    const { credentials, ca } = { credentials: { name: names.credentials }, ca: { name: names.ca } };
    return { s3: { bucket: this.bucket, prefix: "tests", endpoint, pathStyle: true, credentials, ca } };
  }

  /** Where what lies at a path of the bucket lies on this machine. */
  pathOf(path: string): string {
    return join(this.#bucketDirectory, path);
  }

  /** Starts the server again with what it had. */
  async run(): Promise<void> {
    const { certificate, key } = this.#certificate;
    const args = [
      "--port",
      `:${this.#port}`,
      "--cert",
      certificate,
      "--key",
      key,
      "posix",
      join(this.#directory, "data"),
    ];
    const env = { ...process.env, ROOT_ACCESS_KEY: account.id, ROOT_SECRET_KEY: account.secret };
    this.#server = spawn(this.#program, ["--quiet", ...args], { stdio: "ignore", env });
    await once(this.#server, "spawn");
  }

  /** Ends the server; what it has stays. */
  async halt(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }

  /** Replaces the secret key that the namespace has. Default: by the right one. */
  async replaceKey(secret: string = account.secret): Promise<void> {
    const stringData = { accessKeyId: account.id, secretAccessKey: secret };
    await this.#kubectl.apply(this.#object("v1", "Secret", names.credentials, { stringData }));
  }

  async stop(): Promise<void> {
    await this.halt();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get #bucketDirectory(): string {
    return join(this.#directory, "data", this.bucket);
  }

  async #publish(): Promise<void> {
    const found = Endpoints.parse(await this.#kubectl.find("endpoints", "kubernetes", "default"));
    // this machine, as pods see it
    const ip = found.subsets[0]?.addresses[0]?.ip;
    if (ip === undefined) throw new Error("the API server has no address");
    const ports = [{ name: "https", port: this.#port, protocol: "TCP" }];
    const labels = { "kubernetes.io/service-name": names.service };
    await this.replaceKey();
    const ca = await readFile(this.#certificate.authority, "utf8");
    await this.#kubectl.apply(this.#object("v1", "Secret", names.ca, { stringData: { "ca.crt": ca } }));
    await this.#kubectl.apply(this.#object("v1", "Service", names.service, { spec: { ports } }));
    await this.#kubectl.apply({
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4", ports },
      metadata: { name: names.service, namespace: this.#namespace, labels },
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    });
  }

  #object(apiVersion: string, kind: string, name: string, more: object): object {
    return { apiVersion, kind, metadata: { name, namespace: this.#namespace }, ...more };
  }
}

interface Started {
  readonly kubectl: Kubectl;
  readonly namespace: string;
  readonly directory: string;
  readonly port: number;
  readonly program: string;
  readonly certificate: CertificateFiles & { readonly authority: string };
}
