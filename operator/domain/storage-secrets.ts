// The Secrets by which object storage, or a server elsewhere, is opened: which they are, and what of them is not there.
import { sourceAuthority, sourceKeys } from "../../contract/import";
import { backupFiles } from "../../contract/object-storage";

/** The keys of a Secret of a namespace, undefined where there is none; `hidden` where that may not be seen. */
export type ReadSecretKeys = (namespace: string, name: string) => Promise<ReadonlySet<string> | "hidden" | undefined>;

/** Names of Secrets. */
export interface StorageSecrets {
  readonly credentials: string;
  readonly encryption?: string | undefined;
  readonly ca?: string | undefined;
}

/** What is missing of one of them. */
export interface Lack {
  readonly of: keyof StorageSecrets;
  /** As the beginning of a sentence. */
  readonly what: string;
  /** The end of one that begins with "until". */
  readonly until: "there is" | "it has";
}

const { credentials, encryption, authority } = backupFiles;
const keysOf = {
  credentials: [credentials.id, credentials.secret],
  encryption: [encryption.file],
  ca: [authority.file],
} as const;
const purposes = ["credentials", "encryption", "ca"] as const;

/** All that is missing of those of object storage. */
export const lacksOf = (namespace: string, secrets: StorageSecrets, read: ReadSecretKeys): Promise<Lack[]> =>
  lacksIn(namespace, { secrets, keysOf }, read);

const keysOfServer = {
  credentials: [sourceKeys.username, sourceKeys.password],
  encryption: [],
  ca: [sourceAuthority.file],
} as const;

/** All that is missing of those of a server that is imported from. */
export const lacksOfServer = (
  namespace: string,
  secrets: Omit<StorageSecrets, "encryption">,
  read: ReadSecretKeys,
): Promise<Lack[]> => lacksIn(namespace, { secrets, keysOf: keysOfServer }, read);

interface Needed {
  readonly secrets: StorageSecrets;
  readonly keysOf: Readonly<Record<keyof StorageSecrets, readonly string[]>>;
}

async function lacksIn(namespace: string, { secrets, keysOf }: Needed, read: ReadSecretKeys): Promise<Lack[]> {
  const found = purposes.map(async (of): Promise<readonly Lack[]> => {
    const name = secrets[of];
    const keys = name === undefined ? "hidden" : await read(namespace, name);
    if (name === undefined || keys === "hidden") return [];
    if (keys === undefined) return [{ of, what: `there is no Secret ${name} yet`, until: "there is" }];
    return keysOf[of]
      .filter((key) => !keys.has(key))
      .map((key) => ({ of, what: `Secret ${name} has no key ${key} yet`, until: "it has" }));
  });
  return (await Promise.all(found)).flat();
}
