// Runs pgBackRest in a Job. The keys of the object storage, and the passphrase, go by the environment of the process, and by nothing else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { backupFiles, backupServer } from "../../../contract/object-storage";
import { cleanEnvironment } from "../../supervise/run";
import { socketDirectory } from "../server/connection";
import { complaintIn } from "./complaint";
import { hostOf, type Place } from "./identity";

const { repository, credentials, encryption } = backupFiles;
const settings = join(repository.directory, repository.file);

/** The data directory in a member's pod. */
const dataDirectory = "/var/lib/postgresql/data/pgdata";

/** How long what it says may be that is remembered of one run. */
const mostRemembered = 4_096;

/** Where it keeps WAL, of a cluster or of all. */
const archive = "archive";

/** Options that have it reach these members by the servers beside them, the primary first. */
export const membersOptions = (members: readonly string[], place: Place): readonly string[] =>
  members.flatMap((member, index) =>
    Object.entries({
      host: hostOf(member, place),
      "host-type": "tls",
      "host-port": backupServer.port,
      "host-ca-file": backupServer.certificate,
      "host-cert-file": backupServer.certificate,
      "host-key-file": backupServer.key,
      "host-config": backupServer.settings,
      path: dataDirectory,
      "socket-path": socketDirectory,
      user: "postgres",
    }).map(([name, value]) => `--pg${index + 1}-${name}=${value}`),
  );

/** One cluster's place in the object storage. */
export class PgBackRest {
  readonly #cluster: string | undefined;
  readonly #settings: string;

  /** `cluster`: undefined for what is about all that are there. `file`: the settings. Default: those of the pod's own Database. */
  constructor(cluster: string | undefined, file = settings) {
    this.#cluster = cluster;
    this.#settings = file;
  }

  /** Runs a command and returns what it printed; what it says on the way is in the log. Throws what it complains of. */
  async run(command: string, options: readonly string[] = [], ...args: readonly string[]): Promise<string> {
    const stanza = this.#cluster === undefined ? [] : [`--stanza=${this.#cluster}`];
    const own = [`--config=${this.#settings}`, ...stanza, "--log-level-stderr=info"];
    const child = spawn("pgbackrest", [...own, ...options, command, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: cleanEnvironment(await storageKeys(this.#settings)),
    });
    const printed: Buffer[] = [];
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => printed.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      const text = readable(chunk);
      process.stdout.write(text);
      said = (said + text).slice(-mostRemembered);
    });
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`pgbackrest ${command} failed: ${complaintIn(said)}`);
    return Buffer.concat(printed).toString();
  }

  /** The names of the files in its archive, one per line. */
  archived(): Promise<string> {
    return this.run("repo-ls", ["--recurse"], [archive, this.#cluster ?? ""].join("/"));
  }
}

/** Of a file that it cannot decrypt it prints what it found; a pod whose last words are no text never ends for the API server. */
const readable = (chunk: Buffer): string => chunk.toString().replaceAll(/[^\P{C}\n\t]/gu, "�");

/** As they are now: they may be replaced at any time. `file`: pgBackRest's settings, which say whether there is a passphrase. */
export async function storageKeys(file: string): Promise<Record<string, string>> {
  return {
    PGBACKREST_REPO1_S3_KEY: await keyIn(credentials.directory, credentials.id),
    PGBACKREST_REPO1_S3_KEY_SECRET: await keyIn(credentials.directory, credentials.secret),
    ...((await isEncryptedBy(file)) && {
      PGBACKREST_REPO1_CIPHER_PASS: await keyIn(encryption.directory, encryption.file),
    }),
  };
}

const isEncryptedBy = async (file: string): Promise<boolean> =>
  /^repo1-cipher-type=/m.test(await readFile(file, "utf8"));

const purposes = {
  [credentials.directory]: "credentials",
  [encryption.directory]: "encryption",
} as const;

/** Without the line's end, which programs that write files add; the archive command of a member does the same. */
async function keyIn(directory: keyof typeof purposes, key: string): Promise<string> {
  const text = await readFile(join(directory, key), "utf8").catch(() => "");
  if (text.trim() === "")
    throw new Error(`the Secret for the ${purposes[directory]} of the object storage has no key ${key}: add it`);
  return directory === encryption.directory ? text.replace(/\n+$/, "") : text.trim();
}
