// Applications that connect over TLS again and again, and count what becomes of it: a pod of each, with what the Database gives them.
import { z } from "zod";
import { runIn, startIdlePod } from "../../harness/idle-pod";
import type { Kubectl } from "../../harness/kubectl";

/**
 * Connects as an application does that has the `uri` alone, and counts; to the replicas of a Database, too, where its name is given. A session stays
 * open beside that.
 */
const program = `
import json, os, psycopg2, sys, time
uris = [os.environ["URI"]] + [os.environ["URI"].replace(f"@{name}.", f"@{name}-ro.") for name in sys.argv[1:]]
made, failed, lost, said, longest, most, held = 0, 0, 0, [], 0.0, 0, None
since = time.monotonic()

def connect(uri):
    return psycopg2.connect(uri, connect_timeout=5, tcp_user_timeout=5000)

def note(error):
    global said
    text = str(error).strip()
    said = said if text in said else said + [text]

def ask(connection):
    with connection.cursor() as cursor:
        cursor.execute("select 1")

while True:
    try:
        with open("/etc/database-ca/ca.crt") as file:
            most = max(most, file.read().count("BEGIN CERTIFICATE"))
    except OSError:
        pass
    for uri in uris:
        try:
            connection = connect(uri)
            ask(connection)
            connection.close()
            made += 1
            now = time.monotonic()
            longest, since = max(longest, now - since), now
        except psycopg2.Error as error:
            failed += 1
            note(error)
    try:
        if held is None:
            held = connect(uris[0])
            held.autocommit = True
        ask(held)
    except psycopg2.Error as error:
        lost, held = lost + 1, None
        note(error)
    told = {"made": made, "failed": failed, "lost": lost, "said": said, "longest": longest, "most": most}
    with open("/tmp/load.new", "w") as file:
        json.dump(told, file)
    os.replace("/tmp/load.new", "/tmp/load")
    time.sleep(0.1)
`;

/** What the server shows whom it lets in: until when that is good, in seconds, by a client that checks its name. */
const look = `
import socket, ssl, struct, sys
context = ssl.create_default_context(cafile="/etc/database-ca/ca.crt")
with socket.create_connection((sys.argv[1], 5432), 5) as plain:
    plain.sendall(struct.pack("!ii", 8, 80877103))
    assert plain.recv(1) == b"S"
    with context.wrap_socket(plain, server_hostname=sys.argv[1]) as way:
        print(ssl.cert_time_to_seconds(way.getpeercert()["notAfter"]))
`;

const Counted = z.object({
  made: z.number(),
  failed: z.number(),
  /** How often the session broke that stays open. */
  lost: z.number(),
  /** Each thing that was said of a failure, once. */
  said: z.array(z.string()),
  /** The longest time between two connections, in seconds. */
  longest: z.number(),
  /** The most authorities that its file had. */
  most: z.number(),
});
export type Counted = z.infer<typeof Counted>;

export class TlsClient {
  readonly #kubectl: Kubectl;
  readonly #pod: { readonly name: string; readonly namespace: string };
  readonly #database: string;

  constructor(kubectl: Kubectl, namespace: string, database: string) {
    this.#kubectl = kubectl;
    this.#pod = { name: `${database}-client`, namespace };
    this.#database = database;
  }

  /** Starts its pod, with the `uri` of now. `trusts`: with what to trust as files, which must be there. */
  start(image: string, { trusts }: { readonly trusts: boolean }): Promise<void> {
    const env = { URI: { secret: `${this.#database}-credentials`, key: "uri" } };
    const pod = { ...this.#pod, image, env };
    return startIdlePod(
      this.#kubectl,
      trusts ? { ...pod, files: { "/etc/database-ca": `${this.#database}-ca` } } : pod,
    );
  }

  run(script: string, ...args: readonly string[]): Promise<string> {
    return runIn(this.#kubectl, this.#pod, script, ...args);
  }

  /** By the `uri`, of which some is replaced. */
  ask(sql: string, ...replaced: readonly [from: string, to: string] | readonly []): Promise<string> {
    const [from = "no such text", to = ""] = replaced;
    return this.run('exec psql "${URI/"$1"/"$2"}" -XAtq -c "$3"', from, to, sql);
  }

  /** Until when the certificate is good that a host shows, in milliseconds since 1970. */
  async shownUntil(host: string): Promise<number> {
    return Number(await this.run('exec python3 -c "$1" "$2"', look, host)) * 1000;
  }

  /** Begins to connect again and again. `isForAll`: to replicas as well. */
  async begin({ isForAll = false } = {}): Promise<void> {
    const names = isForAll ? [this.#database] : [];
    await this.run('rm -f /tmp/load; nohup python3 -c "$@" >/tmp/said 2>&1 & echo $! >/tmp/pid', program, ...names);
  }

  async counted(): Promise<Counted> {
    return Counted.parse(JSON.parse(await this.run("cat /tmp/load")));
  }

  /** While work takes place it connects; what came of that, whatever came of the work. */
  async during(work: () => Promise<unknown>): Promise<Counted> {
    await this.begin();
    try {
      await work();
      return await this.counted();
    } finally {
      await this.run("kill $(cat /tmp/pid)");
    }
  }
}
