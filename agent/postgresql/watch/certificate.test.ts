import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { X509Certificate } from "node:crypto";
import { issueAuthority } from "../../../operator/certificates/issue";
import { databaseTerms } from "../../../operator/certificates/rotation";
import type { ShownCertificate } from "../server/shown-certificate";
import { Certificate } from "./certificate";

/** A member whose files and server are as the test has them. */
class Member {
  readonly lines: string[] = [];
  reloads = 0;
  pid: number | undefined = 7;
  now = new Date("2026-01-01T00:00:00.000Z");
  shown: ShownCertificate = { fingerprint: "another", until: new Date("2026-04-01T00:00:00.000Z") };
  asked = 0;
  readonly notes: string[] = [];
  readonly kept: string[] = [];
  onReload: () => void = () => undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), "certificate-"));
  readonly watch: Certificate;

  constructor(t: TestContext) {
    t.after(() => {
      rmSync(this.#directory, { recursive: true });
    });
    this.watch = new Certificate({
      server: {
        pid: () => Promise.resolve(this.pid),
        reload: () => {
          this.onReload();
          this.reloads += 1;
          return Promise.resolve();
        },
      },
      shown: () => {
        this.asked += 1;
        return Promise.resolve(this.shown);
      },
      write: ({ until }) => {
        this.notes.push(until);
        return Promise.resolve();
      },
      kept: {
        keep: ({ certificate }) => {
          this.kept.push(certificate?.toString() ?? "");
          return Promise.resolve();
        },
        giveUpFor: () => Promise.resolve(),
      },
      now: () => this.now,
      directory: this.#directory,
      log: (line) => this.lines.push(line),
    });
  }

  has(files: Readonly<Record<string, string>>): this {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(this.#directory, file), text);
    return this;
  }

  get reloadLines(): readonly string[] {
    return this.lines.filter((line) => line.includes("reads it again"));
  }

  async look(times = 1): Promise<void> {
    for (let time = 0; time < times; time++) await this.reloadsAfterLook();
  }

  async reloadsAfterLook(): Promise<number> {
    await this.watch.look().catch((error: unknown) => {
      this.watch.failed(error);
    });
    return this.reloads;
  }
}

const files = { "ca.crt": "a", "tls.crt": "b", "tls.key": "c" };

interface Pair {
  readonly text: string;
  readonly key: string;
  readonly shown: ShownCertificate;
}

/** A certificate with its key, and what a server shows that has them. */
async function issued(from = new Date()): Promise<Pair> {
  const { certificate: text, key } = await issueAuthority(databaseTerms, from);
  const { fingerprint256, validToDate } = new X509Certificate(text);
  return { text, key, shown: { fingerprint: fingerprint256, until: validToDate } };
}

test("a server without a certificate is left alone", async (t) => {
  const member = new Member(t);
  assert.equal(await member.reloadsAfterLook(), 0);
  assert.deepEqual(member.lines, []);
});

test("each server is told once of what there is, and again of each file that changes", async (t) => {
  const member = new Member(t).has(files);
  assert.equal(await member.reloadsAfterLook(), 1);
  assert.equal(await member.reloadsAfterLook(), 1);
  assert.deepEqual(member.reloadLines, [], "it may have read them itself");
  for (const [index, file] of Object.keys(files).entries()) {
    member.has({ [file]: "another" });
    assert.equal(await member.reloadsAfterLook(), index + 2, file);
    assert.equal(await member.reloadsAfterLook(), index + 2, file);
  }
  assert.equal(member.reloadLines.length, 3);
});

test("what moves from one file to the next has changed", async (t) => {
  const member = new Member(t).has({ "ca.crt": "ab", "tls.crt": "c", "tls.key": "" });
  await member.reloadsAfterLook();
  member.has({ "ca.crt": "a", "tls.crt": "bc" });
  assert.equal(await member.reloadsAfterLook(), 2);
});

test("where there is no server, the next one is told; it may have read the files before they changed", async (t) => {
  const member = new Member(t).has(files);
  await member.reloadsAfterLook();
  member.pid = undefined;
  member.has({ "tls.crt": "another" });
  assert.equal(await member.reloadsAfterLook(), 1);
  member.pid = 8;
  assert.equal(await member.reloadsAfterLook(), 2);
});

test("what keeps it from that is told once, and it is tried again", async (t) => {
  const member = new Member(t).has(files);
  member.onReload = () => {
    throw new Error("kill EPERM");
  };
  assert.equal(await member.reloadsAfterLook(), 0);
  assert.equal(await member.reloadsAfterLook(), 0);
  member.onReload = () => undefined;
  assert.equal(await member.reloadsAfterLook(), 1);
  assert.deepEqual(member.lines, ["the server's certificate cannot be seen to: kill EPERM"]);
});

test("until when the certificate is good that the server shows is noted once, and not asked again while that is the one in its files", async (t) => {
  const { text, key, shown } = await issued();
  const member = new Member(t).has({ ...files, "tls.crt": text, "tls.key": key });
  member.shown = shown;
  await member.look();
  assert.equal(member.asked, 0, "it is about to read it");
  await member.look(3);
  assert.deepEqual([member.asked, member.notes, member.lines], [1, [shown.until.toISOString()], []]);
  assert.deepEqual(member.kept, [text], "a server can start with it again");
  member.pid = 8;
  await member.look(3);
  assert.deepEqual([member.asked, member.notes.length], [2, 1]);
});

test("a server that keeps another one than in its files is reported, and asked until it takes that", async (t) => {
  const [former, next] = [await issued(new Date("2025-01-01T00:00:00Z")), await issued()];
  const member = new Member(t).has({ ...files, "tls.crt": former.text, "tls.key": former.key });
  member.shown = former.shown;
  await member.look(2);
  member.has({ "tls.crt": next.text, "tls.key": next.key });
  await member.look(4);
  assert.equal(member.lines.length, 2);
  assert.match(
    member.lines[1] ?? "",
    /does not take certificate and key in its files, and shows those that are good until /,
  );
  member.shown = next.shown;
  await member.look(2);
  assert.deepEqual(
    member.notes,
    [former, next].map((one) => one.shown.until.toISOString()),
  );
  assert.deepEqual([member.asked, member.kept], [5, [former.text, next.text]]);
});

test("a key that does not fit is not kept, though the server shows that certificate: it has the former key", async (t) => {
  const { text, key, shown } = await issued();
  const member = new Member(t).has({ ...files, "tls.crt": text, "tls.key": key });
  member.shown = shown;
  await member.look(2);
  member.has({ "tls.key": "broken" });
  await member.look(3);
  assert.deepEqual(member.kept, [text]);
  assert.match(member.lines.at(-1) ?? "", /does not take certificate and key in its files/);
});

test("what should have been renewed by now is reported once a day: who renews it may be gone", async (t) => {
  const { text, key, shown } = await issued();
  const member = new Member(t).has({ ...files, "tls.crt": text, "tls.key": key });
  member.shown = shown;
  await member.look(2);
  assert.deepEqual(member.lines, []);
  member.now = new Date(shown.until.getTime() - 13 * 86_400_000);
  await member.look(2);
  assert.match(member.lines.join(), /should have been renewed by now$/);
  member.now = new Date(member.now.getTime() + 86_400_000);
  await member.look(2);
  assert.equal(member.lines.length, 2);
});
