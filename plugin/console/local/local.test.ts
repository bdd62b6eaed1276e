import assert from "node:assert/strict";
import test from "node:test";
import { fakeCluster } from "../../../test/fakes/plugin/cluster";
import { shown } from "../../../test/fakes/plugin/console";
import { now, runPlugin } from "../../../test/fakes/plugin/world";
import { personOf } from "../access/open";
import { localApp } from "./app";
import { LocalSession } from "./session";

const host = "127.0.0.1:8080";

interface Local {
  readonly session: LocalSession;
  readonly ask: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
}

function local(clock: () => Date = () => now): Local {
  const session = new LocalSession(clock);
  const app = localApp({
    ...{ host, session, now: clock, stopped: new AbortController().signal },
    open: () => Promise.resolve(personOf(fakeCluster({ objects: shown }), [], "jane")),
    onError: (path, error) => assert.fail(`${path}: ${String(error)}`),
  });
  const ask: Local["ask"] = async (path, headers = {}) => app.request(path, { headers: { host, ...headers } });
  return { session, ask };
}

const entered = async ({ session, ask }: Local): Promise<string> => {
  const { status, headers } = await ask(session.linkAt(""));
  assert.equal(status, 303);
  return (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
};

test("the link works once, and leads to a cookie that no script and no other site has", async () => {
  const { session, ask } = local();
  const first = await ask(session.linkAt(""));
  assert.deepEqual([first.status, first.headers.get("location")], [303, `${session.base}/`]);
  assert.equal(
    first.headers.get("set-cookie"),
    `console-session=${session.id}; Path=${session.base}/; HttpOnly; SameSite=Strict`,
  );
  const second = await ask(session.linkAt(""));
  assert.deepEqual([second.status, second.headers.get("set-cookie")], [401, null]);
  assert.match(await second.text(), /This link is used up/);
});

test("with the cookie there are pages, and the name of the person is on them", async () => {
  const one = local();
  const cookie = await entered(one);
  const answer = await one.ask(`${one.session.base}/`, { cookie });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /Signed in as <bdi>jane<\/bdi>, context/);
});

test("without it, or with another, there are none", async () => {
  const one = local();
  const path = `${one.session.base}/`;
  // before the link is used the cookie is worth nothing either
  assert.equal((await one.ask(path, { cookie: `console-session=${one.session.id}` })).status, 401);
  await entered(one);
  for (const cookie of ["", "console-session=", "console-session=A", `other=${one.session.id}`])
    assert.equal((await one.ask(path, { cookie })).status, 401, cookie);
  assert.equal((await one.ask(`${one.session.base}/databases/shop/orders`)).status, 401);
});

test("a wrong token does not use the link up", async () => {
  const one = local();
  for (const token of ["", "A".repeat(43), one.session.id])
    assert.equal((await one.ask(`${one.session.base}/enter?token=${token}`)).status, 401);
  assert.match(await entered(one), /^console-session=/);
});

test("after ten minutes the link leads nowhere", async () => {
  let minutes = 0;
  const one = local(() => new Date(now.getTime() + minutes * 60_000));
  minutes = 11;
  assert.equal((await one.ask(one.session.linkAt(""))).status, 401);
});

test("a request for another host is refused before anything is looked at", async () => {
  const one = local();
  const cookie = await entered(one);
  for (const other of ["evil.example:8080", "127.0.0.1", "127.0.0.1:80", "localhost:8080", "[::1]:8080"]) {
    const answer = await one.ask(`${one.session.base}/`, { cookie, host: other });
    assert.equal(answer.status, 421, other);
    assert.doesNotMatch(await answer.text(), /orders/);
  }
});

test("two consoles share nothing", () => {
  const [a, b] = [new LocalSession(() => now), new LocalSession(() => now)];
  assert.notEqual(a.base, b.base);
  assert.notEqual(a.id, b.id);
});

test("the verb prints a link that works, and ends when it is stopped", { timeout: 30_000 }, async () => {
  const stopping = new AbortController();
  const contexts: unknown[] = [];
  const cluster = fakeCluster({ objects: shown });
  let link = "";
  const seen = Promise.withResolvers<Response>();
  const ended = runPlugin("console -n shop", {
    ...{ cluster, stopped: stopping.signal, opened: ({ context }) => contexts.push(context) },
    onOut: (text) => {
      link = /http:\S+/.exec(text)?.[0] ?? "";
      seen.resolve(fetch(link, { redirect: "manual" }));
    },
  });
  const { status, headers } = await seen.promise;
  const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const page = await fetch(new URL(headers.get("location") ?? "", link), { headers: { cookie } });
  const text = await page.text();
  stopping.abort();
  assert.deepEqual([status, page.status, (await ended).code], [303, 200, 0]);
  assert.match(text, /billing/);
  // the current context may become another one while the pages are open
  assert.deepEqual(contexts, [undefined, "work"]);
  assert.match(text, /Signed in as <bdi>jane<\/bdi>, context <bdi>work<\/bdi>/);
  await assert.rejects(fetch(link));
});

test("a port that is none, or is taken, is an error that says so", async () => {
  const cluster = fakeCluster({ objects: [] });
  const words = async (line: string): Promise<string> => (await runPlugin(line, { cluster })).err;
  assert.match(await words("console --port=http"), /--port is http: write a number/);
  assert.match(await words("console --port=70000"), /--port is 70000/);
});
