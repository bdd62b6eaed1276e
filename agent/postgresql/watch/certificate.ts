// That the member's certificate, or what it trusts, is another one: its files are replaced while the server runs, which reads them where it is told to
// reload. Connections that are open stay; where the files are of no use, the server says so and continues with what it had. What it shows is looked
// at, and noted on the member's pod.
import { createHash, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { certificateAnnotation, type CertificateNote } from "../../../contract/certificate-note";
import { tlsDirectory, tlsKeys } from "../../../contract/tls";
import type { KubernetesClient } from "../../kubernetes/client";
import { podPath } from "../../kubernetes/paths";
import { textOf } from "../../log";
import type { Log } from "../log";
import type { ShownCertificate } from "../server/shown-certificate";
import { isPair, type KeptCertificate } from "./kept-certificate";
import type { Server, Watch } from "./ports";

/** What it needs. */
export interface CertificateParts {
  readonly server: Pick<Server, "pid" | "reload">;
  /** What the server shows. */
  readonly shown: () => Promise<ShownCertificate>;
  readonly write: (note: CertificateNote) => Promise<void>;
  readonly kept: Pick<KeptCertificate, "keep" | "giveUpFor">;
  readonly log: Log;
  /** Where the files are. Default: where the pod has them. */
  readonly directory?: string;
  /** Default: the present time. */
  readonly now?: () => Date;
}

/** What which server was told of. */
interface Told {
  readonly pid: number;
  readonly digest: string;
}

const dayMs = 86_400_000;
/** The operator has renewed it long before: then it does not work, and its own alerts may be gone with it. */
const lateMs = 14 * dayMs;

/** See the header. */
export class Certificate implements Watch {
  readonly pauseMs = 5_000;
  readonly #parts: CertificateParts;
  #told: Told | undefined;
  /** Of what was told last: whether the server shows it. */
  #isShown = false;
  #until: Date | undefined;
  #written = "";
  #said = "";
  #warned = -Infinity;

  constructor(parts: CertificateParts) {
    this.#parts = parts;
  }

  async look(): Promise<void> {
    const { server } = this.#parts;
    const files = await this.#files();
    const pid = files === undefined ? undefined : await server.pid();
    if (files === undefined || pid === undefined) return;
    const told = { pid, digest: digestOf(files) };
    if (this.#told?.pid !== pid || this.#told.digest !== told.digest) return this.#tell(told, files);
    if (!this.#isShown) await this.#compare(files);
    this.#warn();
  }

  failed(error: unknown): void {
    this.#say(`the server's certificate cannot be seen to: ${textOf(error)}`);
  }

  #say(line: string): void {
    if (line !== this.#said) this.#parts.log(line);
    this.#said = line;
  }

  /** One that has just begun may have read the files before these came. */
  async #tell(told: Told, files: Files): Promise<void> {
    const isSame = this.#told?.pid === told.pid;
    await this.#parts.kept.giveUpFor(files);
    await this.#parts.server.reload();
    this.#told = told;
    this.#isShown = false;
    this.#said = "";
    if (isSame) this.#parts.log("the certificate, or what it is checked by, has changed: the server reads it again");
  }

  /** At the look after it was told: until then it may show the former one. */
  async #compare(files: Files): Promise<void> {
    const shown = await this.#parts.shown();
    const until = shown.until.toISOString();
    this.#until = shown.until;
    if (until !== this.#written) await this.#parts.write({ until });
    this.#written = until;
    // with another key it is not taken, and that which the server has is the one to keep
    const isShown = isPair(files) && fingerprintOf(files.certificate) === shown.fingerprint;
    if (isShown) await this.#parts.kept.keep(files);
    this.#isShown = isShown;
    if (isShown) this.#said = "";
    else
      this.#say(
        `the server does not take certificate and key in its files, and shows those that are good until ${until}`,
      );
  }

  /** Once a day. */
  #warn(): void {
    const { log, now = () => new Date() } = this.#parts;
    const present = now().getTime();
    if (this.#until === undefined || this.#until.getTime() - present > lateMs) return;
    if (present - this.#warned < dayMs) return;
    this.#warned = present;
    log(
      `the certificate of the server is good until ${this.#until.toISOString()}, and should have been renewed by now`,
    );
  }

  /** Undefined where there are none: the Database has no TLS. */
  async #files(): Promise<Files | undefined> {
    const { directory = tlsDirectory } = this.#parts;
    const read = (what: keyof Files): Promise<Buffer | undefined> =>
      readFile(join(directory, tlsKeys[what])).catch(orNothing);
    const [authorities, certificate, key] = await Promise.all([read("authorities"), read("certificate"), read("key")]);
    const files = { authorities, certificate, key };
    return Object.values(files).every((content) => content === undefined) ? undefined : files;
  }
}

type Files = Readonly<Record<keyof typeof tlsKeys, Buffer | undefined>>;

function digestOf({ authorities, certificate, key }: Files): string {
  const hash = createHash("sha256");
  for (const content of [authorities, certificate, key]) hash.update(`${content?.length ?? -1} `).update(content ?? "");
  return hash.digest("hex");
}

/** Undefined where it is none. */
function fingerprintOf(certificate: Buffer | undefined): string | undefined {
  try {
    return certificate && new X509Certificate(certificate).fingerprint256;
  } catch {
    return undefined;
  }
}

function orNothing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

/** Writes notes on the member's own pod, and on no successor of its name. */
export const certificateNotes =
  (client: Pick<KubernetesClient, "patch" | "podUid">, namespace: string, self: string) =>
  async (note: CertificateNote): Promise<void> => {
    const uid = await client.podUid();
    const annotations = { [certificateAnnotation]: JSON.stringify(note) };
    await client.patch(podPath(namespace, self), { metadata: { annotations, ...(uid !== undefined && { uid }) } });
  };
