import assert from "node:assert/strict";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import test, { afterEach, beforeEach } from "node:test";
import { eventually } from "./eventually";
import { startFaultProxy, type FaultProxy } from "./fault-proxy";

const services = "/api/v1/namespaces/default/services";
const provider = { headers: { "user-agent": "pulumi-resource-kubernetes/v4" } };
const list = { kind: "List", metadata: { resourceVersion: "7" }, items: [{ metadata: { name: "shop" } }] };

/** What the server behind the proxy was asked, and its open watches. */
let asked: string[];
let server: Server;
let proxy: FaultProxy;
let say: (line: string) => void;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push([request.method, request.url, body].filter(Boolean).join(" "));
      response.setHeader("content-type", "application/json");
      if (!request.url?.includes("watch=true")) {
        response.end(JSON.stringify(list));
        return;
      }
      say = (line) => response.write(`${line}\n`);
      response.flushHeaders();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  proxy = await startFaultProxy({ url: `http://127.0.0.1:${address.port}` });
});
afterEach(async () => {
  await proxy.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const ask = (method: string, path = services, options: RequestInit = {}): Promise<Response> =>
  fetch(proxy.url + path, { method, ...options });
const post = (): Promise<Response> => ask("POST", services, { body: "{}", ...provider });

/** A watch through the proxy, and what came of it. */
async function watch(query = "?watch=true"): Promise<{ readonly lines: string[]; readonly ended: () => string }> {
  const lines: string[] = [];
  let ended = "";
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${proxy.url}${services}${query}`, resolve).once("error", reject);
  });
  answer.on("data", (chunk: Buffer) => lines.push(chunk.toString("utf8")));
  answer.once("end", () => (ended = "ended"));
  answer.once("error", () => (ended = "broken"));
  return { lines, ended: () => ended };
}

test("without a rule, requests pass as they are and are counted", async () => {
  assert.deepEqual(await (await post()).json(), list);
  await ask("GET");
  await ask("PATCH", `${services}/shop/status?fieldManager=a&dryRun=All`, { body: "[]" });
  assert.deepEqual(asked, [
    `POST ${services} {}`,
    `GET ${services}`,
    `PATCH ${services}/shop/status?fieldManager=a&dryRun=All []`,
  ]);
  const counted = proxy.seen.map(({ by, verb, resource, name, subresource, isWrite }) =>
    [by, verb, resource, name, subresource, isWrite].join(" "),
  );
  assert.deepEqual(counted, [
    "provider create services   true",
    "operator list services   false",
    "operator patch services shop status false",
  ]);
  assert.deepEqual(proxy.lists(services), [JSON.stringify(list)]);
});

test("what a path names is read from it: of a namespace, of the cluster, a namespace itself, no resource", async () => {
  await ask("GET", "/apis/apps/v1/namespaces/a/statefulsets/shop/scale");
  await ask("GET", "/apis/apps/v1/statefulsets");
  await ask("GET", "/api/v1/namespaces/a");
  await ask("GET", "/openapi/v3");
  const places = proxy.seen.map(({ verb, namespace, resource, name, subresource }) =>
    [verb, namespace, resource, name, subresource].join("|"),
  );
  assert.deepEqual(places, ["get|a|statefulsets|shop|scale", "list||statefulsets||", "get||namespaces|a|", "list||||"]);
});

test("a request that is cut before: the server never hears of it, the client gets no answer", async () => {
  const called: string[] = [];
  const rule = proxy.rule(
    { writes: true, by: "provider", nth: 2 },
    { kind: "cutBefore", call: ({ verb }) => void called.push(verb) },
  );
  await post();
  await assert.rejects(post());
  await post();
  await ask("POST", services, { body: "{}" });
  assert.equal(asked.length, 3);
  assert.deepEqual(called, ["create"]);
  assert.equal(rule.applied.length, 1);
});

test("a request whose reply is dropped: the server has carried it out before the call, the client gets no answer", async () => {
  let before = -1;
  proxy.rule({ resource: "services" }, { kind: "dropReply", call: () => void (before = asked.length) });
  await assert.rejects(post());
  assert.equal(before, 1);
});

test("a call after the reply", async () => {
  let called = false;
  proxy.rule({ resource: "services" }, { kind: "callAfter", call: () => void (called = true) });
  assert.equal((await post()).status, 200);
  await eventually(() => {
    assert.ok(called);
  });
});

test("refused requests get a Status with code, reason and Retry-After; every second one where that is asked for", async () => {
  const action = { kind: "refuse", code: 429, reason: "TooManyRequests", retryAfterSeconds: 3 } as const;
  const rule = proxy.rule({ verb: "create", every: 2 }, action);
  const codes = [];
  for (let n = 0; n < 4; n++) codes.push((await post()).status);
  assert.deepEqual(codes, [200, 429, 200, 429]);
  assert.equal(asked.length, 2);
  await post();
  const refused = await post();
  assert.equal(refused.headers.get("retry-after"), "3");
  assert.match(await refused.text(), /"reason":"TooManyRequests","code":429/);
  rule.remove();
  await post();
  assert.equal((await post()).status, 200);
});

test("empty lists, and stale lists", async () => {
  const empty = proxy.rule({ verb: "list" }, { kind: "emptyList" });
  assert.deepEqual(await (await ask("GET")).json(), { ...list, items: [] });
  empty.remove();
  proxy.rule({ verb: "list", path: /services$/ }, { kind: "replay", body: '{"items":["old"]}' });
  assert.deepEqual(await (await ask("GET")).json(), { items: ["old"] });
  proxy.clear();
  assert.deepEqual(await (await ask("GET")).json(), list);
});

test("a delayed request passes later", async () => {
  proxy.rule({ verb: "create" }, { kind: "delay", ms: 200 });
  const began = performance.now();
  await post();
  assert.ok(performance.now() - began >= 190);
});

test("a request that is held: the server hears of it once it is released, and it passes as it is", async () => {
  const hold = proxy.hold({ verb: "create", nth: 2 });
  await post();
  let status = 0;
  const second = post().then((answer) => (status = answer.status));
  assert.equal((await hold.held()).resource, "services");
  await ask("GET");
  assert.deepEqual(asked, [`POST ${services} {}`, `GET ${services}`]);
  assert.equal(status, 0);
  hold.release();
  assert.equal(await second, 200);
  assert.deepEqual(asked.at(-1), `POST ${services} {}`);
  assert.equal(hold.applied.length, 1);
});

test("an answer that is held: the server has carried the request out, the client hears of it once it is released", async () => {
  const hold = proxy.hold({ verb: "create" }, "answered");
  let status = 0;
  const held = [post(), post()].map((answer) => answer.then((given) => (status = given.status)));
  await hold.held();
  await eventually(() => {
    assert.equal(asked.length, 2);
  });
  assert.equal(status, 0);
  hold.release();
  assert.deepEqual(await Promise.all(held), [200, 200]);
  assert.equal((await post()).status, 200);
});

test("a request whose client gives up while it is held never comes to the server", async () => {
  const hold = proxy.hold({ verb: "create" });
  const gone = new AbortController();
  const given = ask("POST", services, { body: "{}", signal: gone.signal });
  await hold.held();
  gone.abort();
  await assert.rejects(given);
  await eventually(() => {
    assert.equal(hold.waiting, 0);
  });
  hold.release();
  await ask("GET");
  assert.deepEqual(asked, [`GET ${services}`]);
});

test("what is held passes when all rules are removed, and a hold that holds nothing says so in time", async () => {
  const hold = proxy.hold({ verb: "create" });
  await assert.rejects(hold.held(10), /no request came within 0.01 s that is \{"verb":"create"\}/);
  const given = post();
  await hold.held();
  proxy.clear();
  assert.equal((await given).status, 200);
});

test("watches stream, and can be cut", async () => {
  const one = await watch();
  say("first");
  await eventually(() => {
    assert.deepEqual(one.lines, ["first\n"]);
  });
  assert.equal(proxy.watches.count, 1);
  proxy.watches.cut();
  await eventually(() => {
    assert.equal(one.ended(), "broken");
    assert.equal(proxy.watches.count, 0);
  });
});

test("watches that were cut are waited for until each of them is open again, and named where they are not", async () => {
  await watch("?watch=true&labelSelector=app%3Da");
  await watch("?watch=true");
  await watch("?watch=true");
  const { names, reopened } = proxy.watches.cut();
  assert.deepEqual([...names].sort(), [services, services, `${services} app=a`]);
  await watch("?watch=true&labelSelector=app%3Da");
  await watch("?watch=true");
  await assert.rejects(reopened(20), new RegExp(`^Error: after 0.02 s not open again: ${services}$`));
  const open = reopened();
  await watch("?watch=true");
  await open;
});

test("a new watch can be sent a bookmark of where it began, if it takes them; one that has shown something is sent none", async () => {
  const query = "?watch=true&resourceVersion=7&allowWatchBookmarks=true";
  const said = await watch(query);
  say("first");
  await eventually(() => {
    assert.equal(said.lines.length, 1);
  });
  const [takes, without] = [await watch(query), await watch("?watch=true&resourceVersion=7")];
  proxy.watches.bookmark();
  await eventually(() => {
    assert.deepEqual(takes.lines, ['{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}}\n']);
  });
  assert.deepEqual([said.lines, without.lines], [["first\n"], []]);
});

test("a frozen watch is half-open: nothing comes and it does not end; a later one is a normal one", async () => {
  const frozen = await watch();
  assert.deepEqual(proxy.watches.freeze(/^nothing/).names, []);
  assert.deepEqual(proxy.watches.freeze(/services$/).names, [services]);
  proxy.watches.expire();
  proxy.watches.cut();
  say("lost");
  server.closeAllConnections();
  const later = await watch();
  say("new");
  await eventually(() => {
    assert.deepEqual(later.lines, ["new\n"]);
  });
  assert.deepEqual(frozen.lines, []);
  assert.equal(frozen.ended(), "");
});

test("an expired watch ends with an ERROR event of code 410, on a line of its own", async () => {
  const one = await watch();
  say("first");
  await eventually(() => {
    assert.equal(one.lines.length, 1);
  });
  proxy.watches.expire();
  await eventually(() => {
    assert.equal(one.ended(), "ended");
  });
  const [, second = ""] = one.lines.join("").split("\n");
  assert.match(second, /^\{"type":"ERROR".*"code":410\}\}$/);
});

test("a proxy that refuses breaks open connections and takes no new ones, until it accepts again", async () => {
  const one = await watch();
  await proxy.refuse();
  await eventually(() => {
    assert.equal(one.ended(), "broken");
  });
  await assert.rejects(ask("GET"));
  await proxy.accept();
  assert.equal((await ask("GET")).status, 200);
});
