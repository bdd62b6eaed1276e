// What a server starts with where the files of its certificate do not fit: the script that starts it (images/postgresql/postgresql-server), with a
// server that only notes what it is told, and what the agent keeps for that.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { issueAuthority, issueServing } from "../../../operator/certificates/issue";
import { databaseTerms } from "../../../operator/certificates/rotation";
import { KeptCertificate, type Pair } from "./kept-certificate";

const program = readFileSync(join(__dirname, "../../../images/postgresql/postgresql-server"), "utf8");

/** A member's files on this machine. */
class Member {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "kept-certificate-")));
  readonly base = this.at("/var/lib/postgresql/data/pgdata/postgresql.base.conf");
  readonly kept = this.at("/var/lib/postgresql/data/.certificate.pem");
  readonly instead = this.at("/run/postgresql/certificate.conf");
  readonly keeper = new KeptCertificate({ kept: this.kept, instead: this.instead });

  constructor(t: TestContext) {
    t.after(() => {
      rmSync(this.root, { recursive: true });
    });
    for (const directory of ["/var/lib/postgresql/data/pgdata", "/run/postgresql", "/bin"])
      mkdirSync(this.at(directory), { recursive: true });
    writeFileSync(this.base, "port = 5432\n");
    writeFileSync(this.at("/bin/postgres"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  }

  at(file: string): string {
    return join(this.root, file);
  }

  has({ certificate = Buffer.of(), key = Buffer.of() }: Partial<Pair>): void {
    mkdirSync(this.at("/etc/database-tls"), { recursive: true });
    writeFileSync(this.at("/etc/database-tls/tls.crt"), certificate);
    writeFileSync(this.at("/etc/database-tls/tls.key"), key);
  }

  /** What the script says, and what the server is told to take. */
  starts(): readonly [said: string, instead: string] {
    const moved = program.replaceAll(/\/(etc\/database-tls|var\/lib\/postgresql|run\/postgresql)/g, `${this.root}/$1`);
    const env = { ...process.env, PATH: `${this.at("/bin")}:${process.env["PATH"] ?? ""}` };
    const args = ["-c", moved, "postgresql-server", "-D", this.at("/var/lib/postgresql/data/pgdata")];
    const { stdout, stderr, status } = spawnSync("bash", args, { env });
    assert.deepEqual([status, stdout.toString()], [0, ""], stderr.toString());
    return [stderr.toString(), existsSync(this.instead) ? readFileSync(this.instead, "utf8") : ""];
  }
}

async function pairs(): Promise<readonly [Pair, Pair]> {
  const authority = await issueAuthority(databaseTerms, new Date());
  const one = async (): Promise<Pair> => {
    const issued = await issueServing(authority, { hosts: ["a"], terms: databaseTerms }, new Date());
    return { certificate: Buffer.from(issued.certificate), key: Buffer.from(issued.key) };
  };
  return [await one(), await one()];
}

test("a server starts with what came with the pod, where that fits", async (t) => {
  const [first, second] = await pairs();
  const member = new Member(t);
  member.has(first);
  assert.deepEqual(member.starts(), ["", ""]);
  await member.keeper.keep(second);
  assert.deepEqual(member.starts(), ["", ""]);
  const included = readFileSync(member.base, "utf8").match(/include_if_exists/g);
  assert.equal(included?.length, 2, "each once");
});

test("where it does not fit, a server starts with the pair that it showed last, and continues with another one that does", async (t) => {
  const [first, second] = await pairs();
  const member = new Member(t);
  await member.keeper.keep(first);
  chmodSync(member.kept, 0o660);
  for (const broken of [{ certificate: first.certificate, key: second.key }, { certificate: Buffer.from("no") }, {}]) {
    member.has(broken);
    const [said, instead] = member.starts();
    assert.match(said, /do not fit: the server starts with those that it showed last/);
    assert.equal(instead, `ssl_cert_file = '${member.kept}'\nssl_key_file = '${member.kept}'\n`);
    await member.keeper.giveUpFor({ certificate: undefined, key: undefined, ...broken });
    assert.ok(existsSync(member.instead), "the server would not take it");
  }
  assert.equal(statSync(member.kept).mode & 0o777, 0o600);
  const text = readFileSync(member.kept, "utf8");
  assert.ok(text.indexOf("CERTIFICATE") < text.indexOf("PRIVATE KEY"));
  await member.keeper.giveUpFor(second);
  assert.ok(!existsSync(member.instead));
});

test("without one that was kept the server itself says what is wrong; without TLS none is kept", async (t) => {
  const [first] = await pairs();
  const member = new Member(t);
  member.has({});
  assert.deepEqual(member.starts(), ["", ""]);
  await member.keeper.keep(first);
  rmSync(member.at("/etc/database-tls"), { recursive: true });
  assert.deepEqual(member.starts(), ["", ""]);
  assert.ok(!existsSync(member.kept));
});
