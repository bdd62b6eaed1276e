// That the member's certificate, or what it trusts, is another one: its files are replaced while the server runs, which reads them where it is told to
// reload. Connections that are open stay; where the files are of no use, the server says so and continues with what it had.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { tlsFile } from "../../../contract/tls";
import { textOf } from "../../log";
import type { Log } from "../log";
import type { Server, Watch } from "./ports";

/** What it needs. */
export interface CertificateParts {
  readonly server: Pick<Server, "pid" | "reload">;
  readonly log: Log;
  /** Where the files are. Default: where the pod has them. */
  readonly files?: readonly string[];
}

const ownFiles = [tlsFile("authorities"), tlsFile("certificate"), tlsFile("key")];

/** See the header. */
export class Certificate implements Watch {
  readonly pauseMs = 5_000;
  readonly #parts: CertificateParts;
  /** What which server was told of last. */
  #told: { readonly pid: number; readonly digest: string } | undefined;
  #said = "";

  constructor(parts: CertificateParts) {
    this.#parts = parts;
  }

  async look(): Promise<void> {
    const { server, log, files = ownFiles } = this.#parts;
    const digest = await digestOf(files);
    const pid = digest === undefined ? undefined : await server.pid();
    if (digest === undefined || pid === undefined) return;
    const told = this.#told;
    if (told?.pid === pid && told.digest === digest) return;
    // one that has just begun may have read the files before these came
    await server.reload();
    this.#told = { pid, digest };
    this.#said = "";
    if (told?.pid === pid) log("the certificate, or what it is checked by, has changed: the server reads it again");
  }

  failed(error: unknown): void {
    const why = textOf(error);
    if (why !== this.#said) this.#parts.log(`the server cannot be told of its certificate: ${why}`);
    this.#said = why;
  }
}

/** Undefined where there are none: the Database has no TLS. */
async function digestOf(files: readonly string[]): Promise<string | undefined> {
  const contents = await Promise.all(files.map((file) => readFile(file).catch(orNothing)));
  if (contents.every((content) => content === undefined)) return undefined;
  const hash = createHash("sha256");
  for (const content of contents) hash.update(`${content?.length ?? -1} `).update(content ?? "");
  return hash.digest("hex");
}

function orNothing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
