// The program that imports to PostgreSQL, with a real server of an older major version: verified by an authority of its own, and with what app may not make.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, suite } from "node:test";
import { run } from "../../tools/host/command";
import { buildImages } from "../../tools/images/build";
import { ImageRoot, type Ended } from "../harness/image-root";

const at = "/var/lib/postgresql/data";
const rows = 5_000;

/** Two authorities, a certificate of the first for the address, and one for another name. */
const certify = `
cd ${at}
for ca in ca other; do openssl req -x509 -newkey rsa:2048 -nodes -keyout $ca.key -out $ca.crt -subj /CN=$ca -days 2 2>/dev/null; done
issue() {
  openssl req -newkey rsa:2048 -nodes -keyout $1.key -out $1.csr -subj /CN=old-db 2>/dev/null
  openssl x509 -req -in $1.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile <(echo "subjectAltName=$2") -out $1.crt 2>/dev/null
}
issue own IP:127.0.0.1
issue elsewhere DNS:elsewhere.example.com
chmod 600 *.key
`;

const fill = `
CREATE DATABASE shop;
\\c shop
CREATE TABLE items (id int PRIMARY KEY, text text);
INSERT INTO items SELECT g, md5(g::text) FROM generate_series(1, ${rows}) g;
CREATE EXTENSION hstore;
CREATE EXTENSION pg_stat_statements;
`;

/** A source of 15 that takes encrypted sessions only, in the program's own pod: its port is the host's, so it is any. */
const withSource = (certificate: string, sql: string, work: string): string => `
set -e
${certify}
cd /tmp; B=/usr/lib/postgresql/15/bin; port=$((20000 + RANDOM % 20000))
$B/initdb -D /tmp/source -U postgres -A trust >/dev/null
echo "hostssl all all 127.0.0.1/32 trust" >/tmp/source/pg_hba.conf; echo "local all all trust" >>/tmp/source/pg_hba.conf
$B/pg_ctl -D /tmp/source -w -l /tmp/log -o "-p $port -k /tmp -c listen_addresses=127.0.0.1 -c huge_pages=off -c ssl=on -c ssl_cert_file=${at}/${certificate}.crt -c ssl_key_file=${at}/${certificate}.key" start >/dev/null || { cat /tmp/log; exit 1; }
$B/psql -qXh /tmp -p $port -U postgres -v ON_ERROR_STOP=1 <<'SQL'
${sql}
SQL
export IMPORT_PORT=$port
${work}
`;

/** What the Job's pod has. */
const environmentOf = (authority: string): string[] => [
  "PATH=/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin",
  ...[
    "IMPORT_HOST=127.0.0.1",
    'IMPORT_DATABASES=["shop"]',
    "IMPORT_TLS=Verify",
    `IMPORT_AUTHORITY=${at}/${authority}.crt`,
  ],
  ...["IMPORT_USERNAME=postgres", "IMPORT_PASSWORD=none", `DATA_DIRECTORY=${at}/pgdata`],
  ...["SUPERUSER=postgres", "SUPERUSER_PASSWORD=s", "REPLICATION_USER=replicator", "REPLICATION_PASSWORD=r"],
  ...["APP_USER=app", "APP_PASSWORD=a", "APP_DATABASE=app", "MONITOR_USER=monitor", "MONITOR_PASSWORD=m"],
];

const count = `
/usr/lib/postgresql/17/bin/pg_ctl -D ${at}/pgdata -w -l /tmp/log -o "-c listen_addresses= -c huge_pages=off" start >/dev/null
/usr/lib/postgresql/17/bin/psql -XAtqh /run/postgresql -U postgres -d app -c "select 'rows: ' || count(*) || ' of ' || (select tableowner from pg_tables where tablename = 'items') from items"
/usr/lib/postgresql/17/bin/pg_ctl -D ${at}/pgdata -w -m fast stop >/dev/null
`;

suite("an import to PostgreSQL from a real server", () => {
  let image: ImageRoot;
  let volume = "";

  before(async () => {
    const [built] = await buildImages({ log: () => undefined, only: ["postgresql-17-from-15"] });
    assert.ok(built);
    image = await ImageRoot.unpack(built.archive);
  });
  after(async () => {
    await image.remove();
  });

  async function attempt(certificate: string, authority: string, sql = fill): Promise<Ended> {
    volume = await mkdtemp(join(tmpdir(), "import-volume-"));
    try {
      await run("chown", ["999:999", volume]);
      return await image.run(volume, [
        ...environmentOf(authority),
        ...["bash", "-c", withSource(certificate, sql, `postgresql-import\n${count}`)],
      ]);
    } finally {
      await rm(volume, { recursive: true });
    }
  }

  async function refused(certificate: string, authority: string, sql = fill): Promise<string> {
    const { code, printed } = await attempt(certificate, authority, sql);
    assert.notEqual(code, 0, printed);
    assert.doesNotMatch(printed, /making an empty server/);
    return printed;
  }

  test("with the authority of its certificate all of it arrives, and is the application's", async () => {
    const { code, printed } = await attempt("own", "ca");
    assert.equal(code, 0, printed);
    assert.match(printed, new RegExp(`rows: ${rows} of app`));
  });

  test("with another authority, or the certificate of another name, nothing is read", async () => {
    assert.match(await refused("own", "other"), /cannot be entered: .*initFrom\.tls\.ca.*delete the Database/);
    assert.match(await refused("elsewhere", "ca"), /does not match certificate's altnames.*initFrom\.host/);
  });

  test("what app may not make is named before anything is made", async () => {
    const printed = await refused(
      "own",
      "ca",
      `${fill}
      CREATE ROLE clerk;
      CREATE POLICY "for clerks" ON items TO clerk USING (true);
      CREATE POLICY for_all ON items USING (true);
      CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
      CREATE EVENT TRIGGER watching ON ddl_command_end EXECUTE FUNCTION watch();
      CREATE FOREIGN DATA WRAPPER far; CREATE SERVER away FOREIGN DATA WRAPPER far;
      CREATE FUNCTION upper_in_c(text) RETURNS text LANGUAGE internal AS 'upper';`,
    );
    for (const part of [
      /policies for single roles.*: for clerks on (public\.)?items;/,
      /event triggers: watching;/,
      /foreign servers and what they need: away, far;/,
      /functions that only a superuser makes.*upper_in_c\(text\);/,
    ])
      assert.match(printed, part);
  });
});
