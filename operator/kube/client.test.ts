import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import test, { type TestContext } from "node:test";
import { eventually } from "../../test/harness/eventually";
import { isApiError, KubeClient, WritesFenced } from "./client";

/** A client of a server that answers so; both end with the test. */
async function clientOf(
  t: TestContext,
  listener: RequestListener,
  { prefix = "", mayWrite }: { readonly prefix?: string; readonly mayWrite?: () => boolean } = {},
): Promise<KubeClient> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert(address !== null && typeof address === "object");
  const client = new KubeClient(
    {
      server: `http://127.0.0.1:${address.port}${prefix}`,
      headers: () => Promise.resolve({ authorization: "Bearer of-the-test" }),
      connection: () => Promise.resolve({}),
    },
    "tester",
    mayWrite,
  );
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return client;
}

/** Sends a line every few milliseconds until no client listens any more. */
const endless: RequestListener = (_request, response) => {
  const timer = setInterval(() => response.write('{"type":"BOOKMARK"}\n'), 5);
  response.on("close", () => {
    clearInterval(timer);
  });
};

test("a request carries credentials, query and body, and the answer is decoded", async (t) => {
  const seen: unknown[] = [];
  const client = await clientOf(
    t,
    (request, response) => {
      let body = "";
      request.on("data", (part: Buffer) => (body += part.toString()));
      request.on("end", () => {
        seen.push(request.method, request.url, request.headers.authorization, request.headers["content-type"], body);
        response.end('{"kind":"Pod"}');
      });
    },
    { prefix: "/clusters/a" },
  );
  assert.deepEqual(await client.apply("/api/v1/x", { a: "ü" }), { kind: "Pod" });
  assert.deepEqual(seen, [
    "PATCH",
    "/clusters/a/api/v1/x?fieldManager=tester&force=true",
    "Bearer of-the-test",
    "application/apply-patch+yaml",
    '{"a":"ü"}',
  ]);
});

test("an answer other than 2xx is an ApiError with the server's words, and a missing object is undefined", async (t) => {
  const client = await clientOf(t, (request, response) => {
    response.writeHead(request.url === "/missing" ? 404 : 409);
    response.end('{"kind":"Status","reason":"Conflict","message":"somebody was quicker"}');
  });
  assert.equal(await client.find("/missing"), undefined);
  await assert.rejects(
    client.get("/x"),
    (error) => isApiError(error, 409) && /somebody was quicker/.test(String(error)),
  );
});

test("each answer tells how far the clock here is from the API server's", async (t) => {
  const client = await clientOf(t, (_request, response) => {
    response.setHeader("date", new Date(Date.now() - 3_600_000).toUTCString());
    response.end("{}");
  });
  const ahead = (): number | undefined => client.aheadMs;
  assert.equal(ahead(), undefined);
  await client.get("/x");
  assert.ok(Math.abs((ahead() ?? 0) - 3_600_000) < 60_000);
});

test("a client that may no longer write still reads, and its waiting writes are not sent", async (t) => {
  let isLeading = true;
  const arrived: string[] = [];
  const answers: (() => void)[] = [];
  const client = await clientOf(
    t,
    (request, response) => {
      arrived.push(request.method ?? "");
      answers.push(() => response.end("{}"));
    },
    { mayWrite: () => isLeading },
  );
  const answerAll = (): void => {
    for (const answer of answers.splice(0)) answer();
  };
  const sent = Array.from({ length: 30 }, () => client.create("/x", {}));
  const outcomes = Promise.allSettled(sent);
  await eventually(() => {
    assert.equal(arrived.length, 24);
  });
  isLeading = false;
  answerAll();
  const refused = (await outcomes).filter((outcome) => outcome.status === "rejected");
  assert.equal(refused.length, 6);
  assert(refused.every(({ reason }) => reason instanceof WritesFenced));
  const read = client.get("/x");
  await eventually(() => {
    assert.equal(answers.length, 1);
  });
  answerAll();
  await read;
  await assert.rejects(client.delete("/x"), WritesFenced);
  assert.equal(arrived.filter((method) => method !== "GET").length, 24);
});

test("a server that cannot be reached is named", async () => {
  const access = { headers: () => Promise.resolve({}), connection: () => Promise.resolve({}) };
  const client = new KubeClient({ ...access, server: "http://127.0.0.1:1" }, "tester");
  await assert.rejects(client.get("/x"), /cannot reach the API server at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
  await client.close();
});

test("a watch that is left, aborted or cut off ends with its reader, and nothing is left uncaught", async (t) => {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on("uncaughtException", note);
  t.after(() => process.off("uncaughtException", note));
  const client = await clientOf(t, endless);
  const read = async (signal: AbortSignal, onLine: () => void): Promise<void> => {
    for await (const event of client.watch("/x", { signal })) {
      assert.deepEqual(event, { type: "BOOKMARK" });
      onLine();
    }
  };
  const leave = (): never => {
    throw new Error("seen enough");
  };
  await assert.rejects(read(new AbortController().signal, leave), /seen enough/);
  const told = new AbortController();
  const aborted = read(told.signal, () => {
    told.abort(new Error("told to stop"));
  });
  await assert.rejects(aborted, /told to stop/);
  const cut = await clientOf(t, (request, response) => {
    response.write('{"type":"BOOKMARK"}\n');
    setTimeout(() => request.socket.destroy(), 20);
  });
  await assert.rejects(async () => {
    for await (const event of cut.watch("/x", { signal: new AbortController().signal })) assert.ok(event);
  }, /closed/);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(uncaught, []);
});
