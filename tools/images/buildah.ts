// Builds and keeps images with buildah: no daemon, no registry, a storage of our own.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CommandError, type Log, run, succeeds } from "../host/command";

/** What a Dockerfile is built with. */
export interface BuildRequest {
  /** Directory with the Dockerfile; all that COPY can see. */
  context: string;
  /** Name given to the result. */
  tag: string;
  /** Arguments of the Dockerfile, by name. Default: those in it. */
  arguments?: Readonly<Record<string, string>>;
  /** File with apt settings of the machine, seen by the build only. */
  aptSettings?: string;
}

/** Handle on a private image storage. */
export class Buildah {
  private constructor(private readonly storage: readonly string[]) {}

  /** Opens the storage below `directory`, created when absent, with the fastest driver that works on this machine. */
  static async open(directory: string): Promise<Buildah> {
    // run state lives with the storage: nothing of ours in /run, and paths stay valid while the cache does
    const at = (driver: string): string[] => [
      ...["--root", join(directory, driver), "--runroot", join(directory, `${driver}-run`)],
      ...["--storage-driver", driver],
    ];
    await mkdir(directory, { recursive: true });
    const overlay = await succeeds("buildah", [...at("overlay"), "info"]);
    return new Buildah(at(overlay ? "overlay" : "vfs"));
  }

  /** Value of a label of a stored image; undefined when there is no such image or label. */
  async labelOf(image: string, label: string): Promise<string | undefined> {
    const format = `{{index .OCIv1.Config.Labels ${JSON.stringify(label)}}}`;
    try {
      return (await this.buildah(["inspect", "--type", "image", "--format", format, image])).trim() || undefined;
    } catch (error) {
      if (error instanceof CommandError) return undefined;
      throw error;
    }
  }

  /** Stores a root file system (tar) as an image with one layer. */
  async commitArchive(archive: string, image: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.inContainer("scratch", async (container) => {
      await this.buildah(["add", "--quiet", container, archive, "/"]);
      const flags = Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
      await this.buildah(["config", "--cmd", "bash", ...flags, container]);
      await this.buildah(["commit", "--quiet", container, image]);
    });
  }

  /** Builds a Dockerfile; what it starts from must be stored already. */
  async build({ context, tag, arguments: values = {}, aptSettings }: BuildRequest, log: Log): Promise<void> {
    const volume = aptSettings ? ["--volume", `${aptSettings}:/etc/apt/apt.conf.d/99machine:ro`] : [];
    const how = ["--isolation", "chroot", "--network", "host", "--pull-never", "--layers", "--format", "docker"];
    const given = Object.entries(values).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
    await this.buildah(["bud", ...how, ...volume, ...given, "--tag", tag, context], log);
  }

  /** Runs a shell command in a new container of `image` and returns what it printed. */
  async shell(image: string, command: string): Promise<string> {
    let printed = "";
    await this.inContainer(image, async (container) => {
      printed = await this.buildah(["run", "--isolation", "chroot", container, "sh", "-c", command]);
    });
    return printed;
  }

  /** Gives a stored image another name. */
  async tag(image: string, name: string): Promise<void> {
    await this.buildah(["tag", image, name]);
  }

  /** Answers whether an image of that name is stored. */
  has(image: string): Promise<boolean> {
    return succeeds("buildah", [...this.storage, "inspect", "--type", "image", image]);
  }

  /** Stores the image in `file`, in docker-archive format, under the name that it has there. */
  async load(file: string): Promise<void> {
    await this.buildah(["pull", "--quiet", `docker-archive:${file}`]);
  }

  /** Pushes a stored image to the registry in its name. */
  async push(image: string, log: Log): Promise<void> {
    await this.buildah(["push", image], log);
  }

  /** Writes a stored image to `file` in docker-archive format, under its name. */
  async save(image: string, file: string): Promise<void> {
    await this.buildah(["push", "--quiet", image, `docker-archive:${file}:${image}`]);
  }

  private async inContainer(image: string, work: (container: string) => Promise<void>): Promise<void> {
    const container = (await this.buildah(["from", "--pull-never", image])).trim();
    try {
      await work(container);
    } finally {
      await this.buildah(["rm", container]);
    }
  }

  private buildah(args: readonly string[], log?: Log): Promise<string> {
    return run("buildah", [...this.storage, ...args], { log });
  }
}
