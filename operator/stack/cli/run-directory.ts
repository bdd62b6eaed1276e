// The private directory of one run of the CLI: it holds the state for as long as the run lasts.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory, type TemporaryDirectory } from "../directories";
import { project } from "../../domain/stack-names";
import type { Checkpoint } from "../../domain/runner";

export class RunDirectory {
  private constructor(
    private readonly directory: TemporaryDirectory,
    readonly stack: string,
  ) {}

  /** Creates the directory below `base`, with `checkpoint` laid out in it. */
  static async create(base: string, stack: string, checkpoint: Checkpoint): Promise<RunDirectory> {
    const directory = new RunDirectory(await temporaryDirectory(base), stack);
    const { path } = directory;
    await Promise.all([
      mkdir(join(path, "home")),
      mkdir(join(path, "work")),
      mkdir(join(path, "state", ".pulumi", "stacks", project), { recursive: true }),
    ]);
    await writeFile(directory.#checkpointFile, checkpoint, { mode: 0o600 });
    return directory;
  }

  get path(): string {
    return this.directory.path;
  }

  /** Pulumi's working directory. */
  get work(): string {
    return join(this.path, "work");
  }

  /** PULUMI_HOME. */
  get home(): string {
    return join(this.path, "home");
  }

  /** URL of the file backend. */
  get backend(): string {
    return `file://${join(this.path, "state")}`;
  }

  get #checkpointFile(): string {
    return join(this.path, "state", ".pulumi", "stacks", project, `${this.stack}.json`);
  }

  /** What the run left; undefined where it left nothing. */
  async checkpoint(): Promise<Checkpoint | undefined> {
    return readFile(this.#checkpointFile, "utf8").catch(() => undefined);
  }

  /** Ends whatever still runs in the directory and removes it. */
  async remove(): Promise<void> {
    await this.directory.remove();
  }
}
