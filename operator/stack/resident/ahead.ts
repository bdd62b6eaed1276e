// A resident Pulumi, and its provider, that start while their caller still loads its modules and asks for the key. Light: it loads no SDK.
import { temporaryDirectory, type TemporaryDirectory } from "../directories";
import { findOnPath } from "../processes";
import type { ResidentProcess } from "./process";
import { residentProgram, startResident } from "./start";

export interface AheadOptions {
  /** Parent of the directory that it works in. */
  readonly workDirectory: string;
  /** Default: the one on PATH. */
  readonly program?: string;
  /** Of the program. Default: it starts the provider of Kubernetes at once. */
  readonly args?: readonly string[];
}

/** A process, and the directory that it works in. Both are the taker's to close. */
export interface Taken {
  readonly process: Promise<ResidentProcess>;
  readonly directory: TemporaryDirectory;
}

/** See the header. It becomes ready once it is taken. */
export class Ahead {
  readonly #directory: TemporaryDirectory;
  readonly #passphrase = Promise.withResolvers<string>();
  readonly #process: Promise<ResidentProcess>;
  #isTaken = false;

  private constructor(directory: TemporaryDirectory, program: string, args: readonly string[]) {
    this.#directory = directory;
    const { promise: passphrase } = this.#passphrase;
    this.#process = startResident({
      ...{ program, args, directory: directory.path, passphrase },
      onLog: () => undefined,
    });
    // reported to who takes it
    this.#process.catch(() => undefined);
  }

  /** Undefined where there is no such program. */
  static async start({
    workDirectory,
    program,
    args = ["--provider", "kubernetes"],
  }: AheadOptions): Promise<Ahead | undefined> {
    const found = program ?? (await findOnPath(residentProgram));
    return found === undefined ? undefined : new Ahead(await temporaryDirectory(workDirectory), found, args);
  }

  /** Undefined where it was taken already. */
  take(passphrase: string): Taken | undefined {
    if (this.#isTaken) return undefined;
    this.#isTaken = true;
    this.#passphrase.resolve(passphrase);
    return { process: this.#process, directory: this.#directory };
  }

  /** Ends it, unless it was taken. */
  async close(): Promise<void> {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#passphrase.reject(new Error("a resident Pulumi was started ahead, and is not needed"));
    await this.#process.catch(() => undefined);
    await this.#directory.remove();
  }
}
