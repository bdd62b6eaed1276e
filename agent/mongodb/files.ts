// The files of a member: its data directory, the token of its volume, the members' key and the server's options.
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { syncToDisk } from "../disk";
import type { Volume } from "./ports";
import { filesOf, memberKeyOf, mongodOptions } from "./server-options";
import type { MemberSettings } from "./settings";
import type { Parameters } from "./wanted";

/** Lays out what the server needs before each start. */
export async function layOut(settings: MemberSettings, parameters: Parameters): Promise<void> {
  const files = filesOf(settings);
  await mkdir(files.data, { recursive: true, mode: 0o700 });
  if (settings.server !== "mongod") return;
  await writeKey(files.key, memberKeyOf(settings.keySecret));
  await writeFile(files.options, mongodOptions(settings, parameters), { mode: 0o600 });
}

/** The server refuses a key that others may read, as is every file of a Secret's volume; and 0400 cannot be overwritten. */
async function writeKey(file: string, key: string): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, key, { mode: 0o400 });
}

/** The token in the volume of a member. */
export function volumeOf(settings: MemberSettings): Volume {
  const { token: file } = filesOf(settings);
  const token = async (): Promise<string | undefined> => {
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
      throw error;
    });
    return text.trim() || undefined;
  };
  return {
    token,
    async ensureToken() {
      const present = await token();
      if (present !== undefined) return present;
      const made = randomUUID();
      await writeDurably(file, `${made}\n`);
      return made;
    },
  };
}

/** The file appears complete, and survives a stop of the machine. */
async function writeDurably(file: string, text: string): Promise<void> {
  const draft = `${file}.draft`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncToDisk(dirname(file));
}
