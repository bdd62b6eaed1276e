// The images of a node, unpacked once and kept: to read gigabytes of archives again takes longer than the rest of a node's start.
import { copyFile, glob, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cacheDirectory } from "../../../directories";
import { type Log, run } from "../../../host/command";
import { keyOf, provideKept } from "../../../host/kept";
import { isPresent } from "../../../host/packages";
import { keptBuilds } from "../../../images/archives";
import type { BuiltImage } from "../../../images/build";
import { loadImages } from "../../../images/load";
import { layoutOf } from "../../layout";
import { openProcesses } from "../../processes";
import { ctrOf, imagesBehind, untilAnswering, withoutPlugins } from "./containerd";

/** Which images, and how to tell about them. */
export interface KeptImagesArgs {
  readonly images: readonly BuiltImage[];
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/**
 * Creates `root`, the storage of a container runtime that was never started, with these images in it. One that is there is left as
 * it is. Layers are links to what is kept: a runtime writes none of their files, it only removes them.
 */
export async function layImages(root: string, { images, log, signal }: KeptImagesArgs): Promise<void> {
  if (await isPresent(root)) return;
  // references name contents; another version of the runtime may store them in another way
  const key = keyOf(await run("containerd", ["--version"]), ...images.map(({ image }) => image).sort());
  const kept = join(cacheDirectory(), "node-images", key);
  const onWait = ({ pid }: { readonly pid: number }): void => {
    log(`waiting for process ${pid}, which unpacks the images`);
  };
  await provideKept(kept, (draft) => unpack(draft, { images, log, signal }), { onWait, signal, atMost: keptBuilds });
  // where links are impossible the images are imported, as into any node
  if ((await stat(kept)).dev !== (await stat(dirname(root))).dev) return;
  await run("cp", ["--archive", "--link", kept, root], { signal });
  for await (const database of glob("*/*.db", { cwd: root })) {
    await rm(join(root, database));
    await copyFile(join(kept, database), join(root, database));
  }
}

const PROCESS = "containerd";
const GRACE_SECONDS = 20;

/** Fills the storage by a runtime of its own, which runs nothing. */
async function unpack(root: string, { images, log, signal }: KeptImagesArgs): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "node-images-"));
  const socket = join(directory, "containerd.sock");
  const config = join(directory, "containerd.toml");
  await writeFile(config, configOf(root, directory, socket));
  const processes = openProcesses(layoutOf(directory));
  try {
    // with this process it ends, too, and its mounts with it
    const script = ["setpriv", "--pdeathsig", "KILL", "--", "containerd", "--config", config];
    const args = ["--mount", "--propagation", "private", "--", ...script];
    processes.start({ name: PROCESS, command: "unshare", args });
    const ctr = ctrOf(socket);
    await untilAnswering(ctr, { processes, process: PROCESS, signal });
    await loadImages(imagesBehind(ctr), images, log);
  } finally {
    await processes.stop(PROCESS, { graceSeconds: GRACE_SECONDS });
    await rm(directory, { recursive: true, force: true });
  }
}

const configOf = (root: string, directory: string, socket: string): string => `version = 2
root = "${root}"
state = "${join(directory, "state")}"
${withoutPlugins("io.containerd.grpc.v1.cri")}

[grpc]
address = "${socket}"
`;
