import assert from "node:assert/strict";
import test, { after } from "node:test";
import type { Cluster } from "../../command/world";
import { origin, shown } from "../../../test/fakes/plugin/console";
import { Watched } from "../../../test/fakes/plugin/watched";
import { now } from "../../../test/fakes/plugin/world";
import { eventually } from "../../../test/harness/eventually";
import { personOf } from "../access/open";
import { listen, type Listening } from "../serve/listen";
import { consoleApp } from "./app";
import { Bell } from "./bell";
import { follow, pauseAfter, targetsOf } from "./follow";
import { Followers } from "./followers";

const stopping = new AbortController();
const servers: Listening[] = [];
after(async () => {
  stopping.abort();
  for (const server of servers) await server.close();
});

const served = async (cluster: Cluster, followers = { perVisitor: 2, all: 3 }): Promise<Listening> => {
  const visitor = { person: personOf(cluster, ["shop"], "jane"), key: "jane", forget: () => undefined };
  const settings = {
    ...{ base: "", origin, now: () => now, stopped: stopping.signal, followers },
    admit: () => Promise.resolve({ kind: "visitor" as const, visitor }),
    onError: (path: string, error: unknown) => assert.fail(`${path}: ${String(error)}`),
  };
  const server = await listen({ host: "127.0.0.1", port: 0 }, () => consoleApp(settings));
  servers.push(server);
  return server;
};

interface Stream {
  readonly status: number;
  readonly events: readonly string[];
  readonly leave: () => void;
}

async function streamAt({ port }: Listening, path: string): Promise<Stream> {
  const leaving = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: leaving.signal });
  const events: string[] = [];
  const read = async (): Promise<void> => {
    if (answer.body === null) return;
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream()))
      events.push(...[...chunk.matchAll(/^event: (.*)$/gm)].map(([, event = ""]) => event));
  };
  void read().catch(() => undefined);
  return {
    status: answer.status,
    events,
    leave: () => {
      leaving.abort();
    },
  };
}

test("that something changed is told, never what; who leaves ends the watches", { timeout: 60_000 }, async () => {
  const watched = new Watched({ objects: shown });
  const server = await served(watched.cluster);
  const stream = await streamAt(server, "/databases/shop/orders/changes");
  await eventually(() => {
    assert.equal(watched.open.size, 2);
  });
  assert.deepEqual([...watched.open.values()].sort(), [
    "/api/v1/namespaces/shop/pods",
    "/apis/example.com/v1/namespaces/shop/databases",
  ]);
  // what changed before it was watched
  await eventually(() => {
    assert.deepEqual(stream.events, ["changed"]);
  });
  watched.happen("BOOKMARK");
  watched.happen("MODIFIED");
  watched.happen("MODIFIED");
  await eventually(() => {
    assert.deepEqual(stream.events, ["changed", "changed"]);
  });
  stream.leave();
  await eventually(() => {
    assert.equal(watched.open.size, 0);
  });
});

test("who follows too much is not followed, and what is left is free again", { timeout: 60_000 }, async () => {
  const watched = new Watched({ objects: shown });
  const server = await served(watched.cluster);
  const [first, second] = [await streamAt(server, "/changes"), await streamAt(server, "/changes")];
  assert.deepEqual([first.status, second.status, (await streamAt(server, "/changes")).status], [200, 200, 204]);
  first.leave();
  await eventually(async () => {
    const again = await streamAt(server, "/changes");
    again.leave();
    assert.equal(again.status, 200);
  });
  second.leave();
  await eventually(() => {
    assert.equal(watched.open.size, 0);
  });
});

test("where nothing of it may be watched, that is told at once", { timeout: 60_000 }, async () => {
  const server = await served(new Watched({ objects: shown, forbidden: ["databases", "pods"] }).cluster);
  const stream = await streamAt(server, "/databases/shop/orders/changes");
  await eventually(() => {
    assert.deepEqual(stream.events, ["over"]);
  });
});

test("where pods may not be watched the Database is", { timeout: 60_000 }, async () => {
  const watched = new Watched({ objects: shown, forbidden: ["pods"] });
  const server = await served(watched.cluster);
  const stream = await streamAt(server, "/databases/shop/orders/changes");
  await eventually(() => {
    assert.equal(watched.open.size, 1);
  });
  await eventually(() => {
    assert.deepEqual(stream.events, ["changed"]);
  });
  watched.happen("MODIFIED");
  await eventually(() => {
    assert.deepEqual(stream.events, ["changed", "changed"]);
  });
  stream.leave();
});

test("who asks for the head of a stream takes no place", { timeout: 60_000 }, async () => {
  const server = await served(new Watched({ objects: shown }).cluster, { perVisitor: 1, all: 1 });
  const { status } = await fetch(`http://127.0.0.1:${server.port}/changes`, { method: "HEAD" });
  assert.equal(status, 204);
  const stream = await streamAt(server, "/changes");
  assert.equal(stream.status, 200);
  stream.leave();
});

test("a change between the page and its watch is told: it is looked again once it is known from where", async () => {
  const heard: string[] = [];
  const stopping = new AbortController();
  const inner = new Watched({ objects: shown }).cluster;
  const cluster: Cluster = {
    ...inner,
    get: async (...asked) => inner.get(...asked).finally(() => heard.push("listed")),
    async *watch() {
      heard.push("watched");
      stopping.abort();
      yield* await Promise.resolve([]);
    },
  };
  const onChange = (): unknown => heard.push("told");
  const [target] = targetsOf({ namespace: "shop", name: "orders" });
  assert.ok(target);
  await follow(cluster, target, { signal: stopping.signal, onChange });
  assert.deepEqual(heard.slice(0, 3), ["listed", "told", "watched"]);
});

test("an API server that is away is asked less and less often", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 100].map(pauseAfter), [1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
});

test("followers are counted by visitor and together", () => {
  const followers = new Followers({ perVisitor: 2, all: 3 });
  const leave = followers.enter("a");
  assert.ok(leave);
  assert.ok(followers.enter("a"));
  assert.equal(followers.enter("a"), undefined);
  assert.ok(followers.enter("b"));
  assert.equal(followers.enter("c"), undefined);
  leave();
  assert.ok(followers.enter("c"));
});

test("a bell that rang often is heard once, and one that has ended is heard to its end", async () => {
  const left = new AbortController();
  const bell = new Bell(left.signal);
  bell.ring();
  bell.ring();
  assert.deepEqual([await bell.heard(1000), await bell.heard(1)], ["changed", "nothing"]);
  bell.ring();
  bell.end();
  assert.deepEqual([await bell.heard(1), await bell.heard(1)], ["changed", "over"]);
  left.abort();
  assert.equal(await bell.heard(1000), "gone");
});
