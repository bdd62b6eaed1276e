// Applications that connect over TLS again and again, and count what becomes of it: a pod of each, with what the Database gives them.
import { z } from "zod";
import { runIn, startIdlePod } from "../../harness/idle-pod";
import type { Kubectl } from "../../harness/kubectl";

/** Connects as an application does that has the `uri` alone, and counts. */
const program = `
import json, os, psycopg2, time
made, failed, said, longest, most = 0, 0, [], 0.0, 0
since = time.monotonic()
while True:
    try:
        with open("/etc/database-ca/ca.crt") as file:
            most = max(most, file.read().count("BEGIN CERTIFICATE"))
    except OSError:
        pass
    try:
        with psycopg2.connect(os.environ["URI"], connect_timeout=5) as connection:
            with connection.cursor() as cursor:
                cursor.execute("select 1")
        connection.close()
        made += 1
        now = time.monotonic()
        longest, since = max(longest, now - since), now
    except psycopg2.Error as error:
        failed, text = failed + 1, str(error).strip()
        said = said if text in said else said + [text]
    with open("/tmp/load.new", "w") as file:
        json.dump({"made": made, "failed": failed, "said": said, "longest": longest, "most": most}, file)
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

  /** Begins to connect again and again. */
  async begin(): Promise<void> {
    await this.run('rm -f /tmp/load; nohup python3 -c "$1" >/tmp/said 2>&1 & echo $! >/tmp/pid', program);
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
