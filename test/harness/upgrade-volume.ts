// A volume with the files of a PostgreSQL 15 and a backup of it, and the program of a major upgrade that is run with it, out of an image.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { discard, MINIMUM_BYTES, provide } from "../../tools/cluster/volumes/loop/loop-device";
import { run } from "../../tools/host/command";
import { ensurePackages } from "../../tools/host/packages";
import type { Ended, ImageRoot } from "./image-root";

const at = "/var/lib/postgresql/data";
/** Those that a rehearsal finds: on a volume of their own where there is a cluster. */
const backups = `${at}/backups`;
/** Name of the backup. */
export const backup = "orders-20261101T000000Z";
const agentPath = "PATH=/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin";

/** A cluster of 15 as the image makes it, with what an upgrade may lose. */
const fill = `
set -e
cd /tmp; B=/usr/lib/postgresql/15/bin
$B/initdb -D ${at}/pgdata --encoding=UTF8 --locale=C.UTF-8 --data-checksums -U postgres >/dev/null
$B/pg_ctl -D ${at}/pgdata -w -l /tmp/log -o "-c listen_addresses= -c huge_pages=off" start >/dev/null
$B/psql -qXh /run/postgresql -U postgres -v ON_ERROR_STOP=1 <<'SQL'
CREATE DATABASE app;
ALTER SYSTEM SET work_mem = '7MB';
SELECT pg_create_physical_replication_slot('orders_1', true), pg_create_physical_replication_slot('elsewhere');
CREATE ROLE known PASSWORD 'secret';
\\c app
CREATE EXTENSION pg_stat_statements;
CREATE TABLE items (id int PRIMARY KEY, text text);
INSERT INTO items SELECT g, md5(g::text) FROM generate_series(1, 50000) g;
CREATE TABLE names (name text COLLATE "de-x-icu" PRIMARY KEY);
INSERT INTO names SELECT md5(g::text) FROM generate_series(1, 5000) g;
CREATE COLLATION mine (provider = icu, locale = 'de');
CREATE TABLE parts (id int) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (1000);
INSERT INTO parts SELECT generate_series(0, 999);
ANALYZE parts;
CREATE SUBSCRIPTION news CONNECTION 'host=/nowhere dbname=x' PUBLICATION y WITH (connect = false, slot_name = 'news');
SQL
$B/pg_basebackup --pgdata=${backups}/${backup} --checkpoint=fast --host=/run/postgresql --username=postgres
$B/pg_ctl -D ${at}/pgdata -w -m fast stop >/dev/null
`;

/** Starts a server with what is there, asks, and ends it. */
const ask = (major: number, sql: string): string => `
set -e
cd /tmp; B=/usr/lib/postgresql/${major}/bin
$B/pg_ctl -D ${at}/pgdata -w -l /tmp/log -o "-c listen_addresses= -c huge_pages=off" start >/dev/null || { cat /tmp/log; exit 1; }
$B/psql -XAtqh /run/postgresql -U postgres -d app -v ON_ERROR_STOP=1 -c "${sql}"
$B/pg_ctl -D ${at}/pgdata -w -m fast stop >/dev/null
`;

type Act = "rehearse" | "convert" | "return";

/** See the header. */
export class UpgradeVolume {
  private constructor(
    private readonly image: ImageRoot,
    private readonly directory: string,
    private readonly sharesBlocks: boolean,
  ) {}

  /** Makes it, and keeps a copy of the files as they are. `sharesBlocks`: whether its file system lets files share their blocks. */
  static async make(image: ImageRoot, { sharesBlocks }: { readonly sharesBlocks: boolean }): Promise<UpgradeVolume> {
    await ensurePackages([{ name: "xfsprogs", provides: "mkfs.xfs" }], console.error);
    const volume = new UpgradeVolume(image, await mkdtemp(join(tmpdir(), "upgrade-volume-")), sharesBlocks);
    await provide(volume.#loop, bytes, { sharesBlocks });
    await run("chown", ["999:999", volume.mountPoint]);
    await volume.#succeeds(["bash", "-c", fill]);
    await volume.#copy("pgdata", "pristine");
    return volume;
  }

  get mountPoint(): string {
    return this.#loop.mountPoint;
  }

  /** What an upgrade has to do with, by name. */
  async names(): Promise<string[]> {
    const others = [".lock", ".server.lock", "pristine", "backups", "filler"];
    return (await readdir(this.mountPoint)).filter((name) => !others.includes(name)).sort();
  }

  /** Removes all of that. */
  async clear(): Promise<void> {
    for (const name of await this.names()) await rm(this.pathOf(name), { recursive: true });
  }

  /** As before any upgrade. */
  async begin(): Promise<void> {
    await this.clear();
    await this.#copy("pristine", "pgdata");
  }

  /** `killAt`: all of it is killed once that is printed. */
  act(name: Act, killAt?: string): Promise<Ended> {
    const majors = ["UPGRADE_FROM=15", "UPGRADE_TO=17", `UPGRADE_ACT=${name}`, "SUPERUSER=postgres"];
    const places = [`DATA_DIRECTORY=${at}/pgdata`, `BACKUP_DIRECTORY=${backups}`, "DATABASE_NAME=orders"];
    const program = [agentPath, ...places, ...majors, "tini", "--", "postgresql-upgrade"];
    return this.image.run(this.mountPoint, program, killAt === undefined ? {} : { killAt });
  }

  /** The same, and returns what it printed. Throws where it fails. */
  async succeeds(name: Act): Promise<string> {
    const { code, printed } = await this.act(name);
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${printed}`);
    return printed;
  }

  /** What a server of that version answers that is started with the files. */
  async sql(major: number, text: string): Promise<string> {
    return (await this.#succeeds(["bash", "-c", ask(major, text)])).trim();
  }

  /** What differs between files of that name and those of before; empty where not one byte does. */
  changesIn(name: string): Promise<string> {
    return run("diff", ["--recursive", "--brief", this.pathOf("pristine"), this.pathOf(name)]);
  }

  /** Takes the room on it but for so many bytes, until `makeRoom`. */
  async crowd(left: number): Promise<void> {
    await this.makeRoom();
    // XFS gives the blocks of removed files back by and by, and what comes back later would be room as well
    await run("fsfreeze", ["--freeze", this.mountPoint]);
    await run("fsfreeze", ["--unfreeze", this.mountPoint]);
    const printed = await run("df", ["--output=avail", "--block-size=1", this.mountPoint]);
    const free = Number(printed.trim().split("\n").at(-1));
    await run("fallocate", ["--length", String(free - left), this.pathOf("filler")]);
  }

  async makeRoom(): Promise<void> {
    await rm(this.pathOf("filler"), { force: true });
  }

  pathOf(name: string): string {
    return join(this.mountPoint, name);
  }

  async remove(): Promise<void> {
    await discard(this.#loop);
    await rm(this.directory, { recursive: true });
  }

  get #loop(): { readonly file: string; readonly mountPoint: string } {
    return { file: join(this.directory, "volume.img"), mountPoint: join(this.directory, "volume") };
  }

  async #copy(from: string, to: string): Promise<void> {
    const reflink = this.sharesBlocks ? "always" : "never";
    await run("cp", ["--archive", `--reflink=${reflink}`, this.pathOf(from), this.pathOf(to)]);
  }

  async #succeeds(command: readonly string[]): Promise<string> {
    const { code, printed } = await this.image.run(this.mountPoint, command);
    if (code !== 0) throw new Error(`it ended with ${code}: ${printed}`);
    return printed;
  }
}

const bytes = 4 * MINIMUM_BYTES;
