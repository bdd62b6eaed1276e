import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Certificate } from "./certificate";

/** A member whose files and server are as the test has them. */
class Member {
  readonly lines: string[] = [];
  reloads = 0;
  pid: number | undefined = 7;
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
      files: ["ca.crt", "tls.crt", "tls.key"].map((file) => join(this.#directory, file)),
      log: (line) => this.lines.push(line),
    });
  }

  has(files: Readonly<Record<string, string>>): this {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(this.#directory, file), text);
    return this;
  }

  async reloadsAfterLook(): Promise<number> {
    await this.watch.look().catch((error: unknown) => {
      this.watch.failed(error);
    });
    return this.reloads;
  }
}

const files = { "ca.crt": "a", "tls.crt": "b", "tls.key": "c" };

test("a server without a certificate is left alone", async (t) => {
  const member = new Member(t);
  assert.equal(await member.reloadsAfterLook(), 0);
  assert.deepEqual(member.lines, []);
});

test("each server is told once of what there is, and again of each file that changes", async (t) => {
  const member = new Member(t).has(files);
  assert.equal(await member.reloadsAfterLook(), 1);
  assert.equal(await member.reloadsAfterLook(), 1);
  assert.deepEqual(member.lines, [], "it may have read them itself");
  for (const [index, file] of Object.keys(files).entries()) {
    member.has({ [file]: "another" });
    assert.equal(await member.reloadsAfterLook(), index + 2, file);
    assert.equal(await member.reloadsAfterLook(), index + 2, file);
  }
  assert.equal(member.lines.length, 3);
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
  assert.deepEqual(member.lines, ["the server cannot be told of its certificate: kill EPERM"]);
});
