// What is in an image, run without a node: as user 999, in namespaces that end with their first process, as a container does.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { run } from "../../tools/host/command";

const Manifest = z.tuple([z.object({ Layers: z.array(z.string()) })]);

const enter = `
set -e
root=$1 volume=$2; shift 2
mount --make-rprivate /
mount --bind "$volume" "$root/var/lib/postgresql/data"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm" -o mode=1777
mount -t tmpfs tmpfs "$root/tmp" -o mode=1777
mount -t tmpfs tmpfs "$root/run/postgresql" -o uid=999,gid=999
exec chroot --userspec=999:999 "$root" /usr/bin/env --ignore-environment LANG=C.UTF-8 "$@"
`;

/** How one ended. */
export interface Ended {
  /** Null where it was killed. */
  readonly code: number | null;
  readonly printed: string;
}

/** The files of an image, unpacked. */
export class ImageRoot {
  private constructor(
    private readonly directory: string,
    private readonly root: string,
  ) {}

  /** Unpacks an archive in docker-archive format. */
  static async unpack(archive: string): Promise<ImageRoot> {
    const directory = await mkdtemp(join(tmpdir(), "image-root-"));
    const root = join(directory, "root");
    const layers = join(directory, "layers");
    for (const one of [root, layers]) await mkdir(one);
    await run("tar", ["--extract", "--file", archive, "--directory", layers]);
    const [{ Layers }] = Manifest.parse(JSON.parse(await readFile(join(layers, "manifest.json"), "utf8")));
    for (const layer of Layers)
      await run("tar", ["--extract", "--file", join(layers, layer), "--directory", root, "--exclude", "dev/*"]);
    await rm(layers, { recursive: true });
    return new ImageRoot(directory, root);
  }

  /** Runs a program with a volume where members have theirs. `killAt`: all of it is killed once that is printed. */
  async run(volume: string, command: readonly string[], { killAt }: { readonly killAt?: string } = {}): Promise<Ended> {
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child=SIGKILL"];
    const args = [...namespaces, "bash", "-c", enter, "enter", this.root, volume, ...command];
    const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (killAt !== undefined && printed.includes(killAt)) child.kill("SIGKILL");
      });
    }
    await once(child, "close");
    return { code: child.exitCode, printed };
  }

  /** Removes it. */
  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true });
  }
}
