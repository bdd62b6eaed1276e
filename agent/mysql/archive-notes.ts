// That binary logs are kept beside backups: the program that does so says how that fares in a session on the primary, and the primary's agent writes
// it on its pod. Where no such session is there for long, that is what it writes.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  archiveAnnotation,
  archiveStates,
  archiveVariable,
  type ArchiveNote,
  type ToldNote,
} from "../../contract/archive-note";
import type { KubernetesClient } from "../kubernetes/client";
import { podPath } from "../kubernetes/paths";
import { log, textOf } from "../log";
import { replicationUser } from "./server/accounts";
import type { OwnServer } from "./server/connection";

const lookMs = 5_000;
const patienceMs = 5_000;
/** A note is written again after that, as another client may have changed it. */
const repeatMs = 60_000;
/** How long the program may be silent: its pod may be moved, and another member may just have become primary. */
const silenceMs = 90_000;
const longestMessage = 400;

const Note = z.object({
  state: z.enum(archiveStates),
  message: z
    .string()
    .transform((text) => text.slice(0, longestMessage))
    .exactOptional(),
  gap: z.object({ segment: z.string(), at: z.string() }).exactOptional(),
  recoverableFrom: z.string().exactOptional(),
  beat: z.number(),
}) satisfies z.ZodType<ToldNote>;

const Rows = z.array(z.object({ note: z.string() }));

/** Only the account of our own programs counts. */
export const noteStatement = `SELECT CONVERT(v.VARIABLE_VALUE USING utf8mb4) AS note FROM performance_schema.user_variables_by_thread v
  JOIN performance_schema.threads t USING (THREAD_ID)
  WHERE v.VARIABLE_NAME = '${archiveVariable}' AND t.PROCESSLIST_USER = '${replicationUser}'
  ORDER BY t.PROCESSLIST_ID DESC LIMIT 1`;

/** What it works with. */
export interface ArchiveNotesArgs {
  readonly server: Pick<OwnServer, "query">;
  readonly client: Pick<KubernetesClient, "patch" | "podUid">;
  readonly namespace: string;
  readonly self: string;
  /** Name of the Database. */
  readonly database: string;
  /** Whether this member is the primary of a Database whose binary logs are kept. */
  readonly isTelling: () => boolean;
  /** Milliseconds of a clock that only goes forward. Default: the process's own. */
  readonly now?: () => number;
}

/** See the header. */
export class ArchiveNotes {
  readonly #args: ArchiveNotesArgs;
  #heardAt: number | undefined;
  /** The session of a program that is gone lives on where its node is: what it said last is not heard again. */
  #beat: number | undefined;
  /** Undefined: it is not known what the pod has. What an earlier process of the pod left counts on a primary alone, which says something soon. */
  #written: string | null | undefined = null;
  #writtenAt = -Infinity;

  constructor(args: ArchiveNotesArgs) {
    this.#args = args;
  }

  /** Looks once, and writes what is new. */
  async look(): Promise<void> {
    const { isTelling, now = () => performance.now() } = this.#args;
    if (!isTelling()) {
      this.#heardAt = undefined;
      await this.#write(null, now());
      return;
    }
    const told = await this.#hear();
    // for a new primary the time begins with its first look
    if (told !== undefined || this.#heardAt === undefined) this.#heardAt = now();
    if (told !== undefined) await this.#write(JSON.stringify(told), now());
    else if (now() - this.#heardAt >= silenceMs) await this.#write(JSON.stringify(this.#silence()), now());
  }

  async #hear(): Promise<ArchiveNote | undefined> {
    const [row] = Rows.parse(await this.#args.server.query(noteStatement, patienceMs));
    if (row === undefined) return undefined;
    const { beat, ...note } = Note.parse(JSON.parse(row.note));
    const isNew = beat !== this.#beat;
    this.#beat = beat;
    return isNew ? note : undefined;
  }

  #silence(): ArchiveNote {
    const { database, namespace } = this.#args;
    const message = `Deployment ${database}-archive, which keeps the binary logs, has not been heard of: see kubectl describe deployment ${database}-archive -n ${namespace}`;
    return { state: "Waiting", message };
  }

  async #write(note: string | null, now: number): Promise<void> {
    if (note === this.#written && (note === null || now - this.#writtenAt < repeatMs)) return;
    const { client, namespace, self } = this.#args;
    this.#written = undefined;
    const uid = await client.podUid();
    const metadata = { annotations: { [archiveAnnotation]: note }, ...(uid !== undefined && { uid }) };
    await client.patch(podPath(namespace, self), { metadata });
    this.#written = note;
    this.#writtenAt = now;
  }
}

/** Looks again and again until `stop`. */
export async function keepTelling(args: ArchiveNotesArgs, stop: AbortSignal): Promise<void> {
  const notes = new ArchiveNotes(args);
  let said = "";
  while (!stop.aborted) {
    await notes.look().catch((error: unknown) => {
      const why = textOf(error);
      if (why !== said) log("how the archive fares cannot be told", { why });
      said = why;
    });
    await delay(lookMs, undefined, { signal: stop }).catch(() => undefined);
  }
}
