// File systems in files: created, mounted by loop devices, grown and removed.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, truncate, writeFile } from "node:fs/promises";
import { run } from "../../../host/command";
import { waitFor } from "../../../host/wait";

/**
 * A file with an XFS file system, and where it is mounted. XFS, because a mounted ext4 grows only with CAP_SYS_RESOURCE,
 * which containers and some virtual machines lack even for root.
 */
export interface LoopVolume {
  file: string;
  mountPoint: string;
}

/** The least size of a volume: what mkfs.xfs wants. */
export const MINIMUM_BYTES = 300 * 2 ** 20;

/** How a file system is made. */
export interface Format {
  /** Whether its files can share blocks, so that a copy of one takes no room. */
  readonly sharesBlocks: boolean;
}

/** Creates the file where it is missing, as large as `bytes` but taking no room on the disk yet, and mounts it. */
export async function provide(volume: LoopVolume, bytes: number, { sharesBlocks }: Format): Promise<void> {
  if (!existsSync(volume.file)) {
    const draft = `${volume.file}.draft`;
    await rm(draft, { force: true });
    await writeFile(draft, "");
    await truncate(draft, bytes);
    await run("mkfs.xfs", ["-q", "-f", "-K", ...(sharesBlocks ? [] : ["-m", "reflink=0"]), draft]);
    await rename(draft, volume.file);
  }
  await mountVolume(volume);
}

/** Mounts the file unless it is mounted. */
export async function mountVolume({ file, mountPoint }: LoopVolume): Promise<void> {
  if (await isMounted(mountPoint)) return;
  await mkdir(mountPoint, { recursive: true });
  await ensureDeviceNode();
  // attached by mount, a device frees itself when its mount goes, however that goes
  await run("mount", ["-t", "xfs", "-o", "loop,noatime", file, mountPoint]);
}

/** Grows file, device and mounted file system to `bytes`; a smaller size changes nothing. */
export async function grow(volume: LoopVolume, bytes: number): Promise<void> {
  await mountVolume(volume);
  if ((await stat(volume.file)).size < bytes) await truncate(volume.file, bytes);
  const device = await deviceOf(volume.file);
  await run("losetup", ["--set-capacity", device]);
  await run("xfs_growfs", [volume.mountPoint]);
}

/** Unmounts the file and removes it. */
export async function discard({ file, mountPoint }: LoopVolume): Promise<void> {
  if (await isMounted(mountPoint)) await run("umount", [mountPoint]);
  if (existsSync(mountPoint)) await rmdir(mountPoint);
  await rm(file, { force: true });
}

async function isMounted(mountPoint: string): Promise<boolean> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n");
  return mounts.some((line) => line.split(" ")[1] === mountPoint);
}

async function deviceOf(file: string): Promise<string> {
  const device = (await run("losetup", ["--associated", file, "--noheadings", "--output", "NAME"])).trim();
  if (!device) throw new Error(`no loop device for ${file}`);
  return device;
}

const LOOP_MAJOR = "7";

/** The kernel creates a free device; where /dev is not its own file system, the device's node is missing. */
async function ensureDeviceNode(): Promise<void> {
  const device = (await run("losetup", ["--find"])).trim();
  if (existsSync(device)) return;
  await run("mknod", [device, "b", LOOP_MAJOR, device.replace("/dev/loop", "")]);
}

/** Devices that are attached to files below `directory`, as /dev/loop<n>. */
export async function attachedDevices(directory: string): Promise<string[]> {
  const names = (await readdir("/sys/block").catch(() => [])).filter((name) => name.startsWith("loop"));
  const attached = await Promise.all(
    names.map(async (name) => {
      const file = await readFile(`/sys/block/${name}/loop/backing_file`, "utf8").catch(() => "");
      return file.startsWith(`${directory}/`) ? [`/dev/${name}`] : [];
    }),
  );
  return attached.flat();
}

/** Returns when no loop device holds a file below `directory`; detaches those that do not go with their mounts. */
export async function freeLoopDevices(directory: string): Promise<void> {
  const look = async (): Promise<true | undefined> => {
    const devices = await attachedDevices(directory);
    for (const device of devices) await run("losetup", ["--detach", device]).catch(() => undefined);
    return devices.length === 0 ? true : undefined;
  };
  await waitFor(look, { what: `loop devices to release ${directory}`, timeoutSeconds: 30 });
}
