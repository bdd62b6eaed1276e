import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { cleanEnvironment } from "../supervise/run";
import { complaintIn } from "./complaints";
import { intoFile, piped, printedBy, type Program } from "./pipes";

const shell = (script: string): Program => ({
  command: "bash",
  args: ["-c", script],
  environment: cleanEnvironment({ WORD: "secret" }),
});
const quiet = (): void => undefined;

test("what one program prints, another reads, and nothing of this process' environment is theirs", async () => {
  process.env["OTHER_SECRET"] = "seen";
  const directory = await mkdtemp(join(tmpdir(), "programs-"));
  try {
    const file = join(directory, "got");
    await piped(shell('for i in {1..20000}; do echo "$WORD $OTHER_SECRET$i"; done'), shell(`cat >'${file}'`), quiet);
    const lines = (await readFile(file, "utf8")).trim().split("\n");
    assert.equal(lines.length, 20_000);
    assert.equal(lines.at(-1), "secret 20000");
    await intoFile(shell("echo all"), file);
    assert.equal(await readFile(file, "utf8"), "all\n");
  } finally {
    delete process.env["OTHER_SECRET"];
    await rm(directory, { recursive: true });
  }
});

test("the error of the one that fails first is told, not that of the other, which fails for that", async () => {
  const dump = shell("yes | head -c 1000000; echo 'pg_dump: error: server closed the connection' >&2; exit 1");
  const load = shell("cat >/dev/null; sleep 0.3; echo 'pg_restore: error: unexpected end of file' >&2; exit 1");
  await assert.rejects(piped(dump, load, quiet), /pg_dump: error: server closed the connection/);
  const endless = shell("yes; sleep 0.3; echo 'pg_dump: error: broken pipe' >&2; exit 1");
  const full = shell("head -c 1000 >/dev/null; echo 'pg_restore: error: No space left on device' >&2; exit 1");
  await assert.rejects(piped(endless, full, quiet), /No space left on device/);
});

test("a dump that fails behind all that a load needs is no success", async () => {
  await assert.rejects(piped(shell("echo all; exit 3"), shell("cat >/dev/null"), quiet), /bash failed/);
});

test("where what passes between them fails, nothing counts as loaded, and its own error is told", async () => {
  // eslint-disable-next-line require-yield
  async function* failing(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of chunks) throw new Error(`${chunk.length > 0 ? "not" : "never"} understood`);
  }
  await assert.rejects(piped(shell("echo all"), shell("cat >/dev/null"), quiet, failing), /^Error: not understood$/);
  await assert.rejects(piped(shell("yes"), shell("cat >/dev/null"), quiet, failing), /^Error: not understood$/);
});

test("a load that ends well before it has read all is no success", async () => {
  await assert.rejects(piped(shell("head -c 10000000 /dev/zero"), shell("head -c 10 >/dev/null"), quiet));
});

test("one that is killed, or is not there, is told", async () => {
  await assert.rejects(printedBy(shell("kill -9 $$")), /was ended by SIGKILL/);
  await assert.rejects(printedBy({ ...shell(""), command: "no-such-program" }), /ENOENT/);
});

test("of a complaint the last error counts, with the hints behind it", () => {
  const said = "pg_restore: while PROCESSING TOC:\npg_restore: error: could not execute query: ERROR: no\nHINT: may\n";
  assert.equal(complaintIn(said), "pg_restore: error: could not execute query: ERROR: no; HINT: may");
  assert.equal(complaintIn("one\ntwo\nthree\nfour\n"), "two; three; four");
});
