// Where backups lie in object storage, and what opens it, as pods have it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { backupFiles } from "../../contract/object-storage";
import { required } from "../environment";

/** As `storageNote` of the components writes it: names of Secrets say that there are some. */
const Place = z.object({
  bucket: z.string(),
  /** The whole path of a Database. */
  prefix: z.string(),
  endpoint: z.string(),
  region: z.string().default("us-east-1"),
  pathStyle: z.boolean().default(false),
  ca: z.string().optional(),
  encryption: z.string().optional(),
});
export type Place = z.infer<typeof Place>;

/** Of the pod. Throws where it has none. */
export const placeOfPod = (): Place => Place.parse(JSON.parse(required("BACKUP_STORAGE")));

/** For people. */
export const locationOf = ({ bucket, prefix }: Pick<Place, "bucket" | "prefix">): string => `s3://${bucket}/${prefix}`;

const { credentials, encryption, authority } = backupFiles;

/** The keys of an account. */
export interface Keys {
  readonly id: string;
  readonly secret: string;
}

/** As they are now: they may be replaced at any time. */
export const keysOfPod = async (): Promise<Keys> => ({
  id: await keyIn(credentials.directory, credentials.id),
  secret: await keyIn(credentials.directory, credentials.secret),
});

/** Undefined where nothing is encrypted there. */
export const passphraseOfPod = async (place: Place): Promise<string | undefined> =>
  place.encryption === undefined ? undefined : keyIn(encryption.directory, encryption.file);

/** The authority of its certificate; undefined where that is one of the usual ones. */
export const authorityOfPod = async ({ ca }: Place): Promise<string | undefined> =>
  ca === undefined ? undefined : keyIn(authority.directory, authority.file);

const purposes = {
  [credentials.directory]: "credentials",
  [encryption.directory]: "encryption",
  [authority.directory]: "authority",
} as const;

/** Without the line's end, which programs that write files add; of a passphrase all else counts. `root`: for tests. */
export async function keyIn(directory: keyof typeof purposes, key: string, root = "/"): Promise<string> {
  const text = await readFile(join(root, directory, key), "utf8").catch(() => "");
  if (text.trim() === "")
    throw new Error(`the Secret for the ${purposes[directory]} of the object storage has no key ${key}: add it`);
  return directory === encryption.directory ? text.replace(/\n+$/, "") : text.trim();
}
