// A server that only talks.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { PrivateServer } from "./private-server";

const args = { host: "/nowhere", user: "postgres", program: "test", settings: {} };

/** One that says this and waits. */
function server(t: TestContext, script: string): PrivateServer {
  const found = new PrivateServer(["-c", `${script}; exec sleep 60`], "bash");
  t.after(() => found.abandon());
  return found;
}

const many =
  'for i in {1..2000}; do echo "LOG:  restored log file \\"0000000100000000000000$i\\" from archive"; done >&2';

test("that the copy was consistent is known however much WAL comes behind it", async (t) => {
  const talking = server(
    t,
    `echo 'LOG:  consistent recovery state reached at 0/2000120' >&2; ${many}; echo 'LOG:  database system is ready to accept connections' >&2`,
  );
  await assert.rejects(talking.session(args, 100));
  assert.ok(talking.said.length > 60_000);
  assert.match(talking.said, /^LOG: {2}consistent recovery state reached at 0\/2000120$/m);
});

test("a server that takes statements and lets no one in is given up, and its refusal told", async (t) => {
  const refusing = server(t, "echo 'LOG:  database system is ready to accept connections' >&2");
  await assert.rejects(refusing.session(args, 300), /ENOENT/);
});
