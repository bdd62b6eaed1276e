import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import test, { after, before } from "node:test";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { startScriptedApi, type ScriptedApi } from "../../test/fakes/scripted-api";
import { ApiFailure, isFailure, type Reach } from "../command/world";
import { openCluster } from "./client";
import { plainJson } from "../text/plain-json";

let api: ScriptedApi;
const heads: (readonly string[])[] = [];

before(async () => {
  api = await startScriptedApi();
  api.on(/GET \/ok/, (response, _nth, request) => {
    heads.push(request.rawHeaders);
    response.end('{"said":"yes"}');
  });
  api.on(/GET \/no$/, (response) => {
    response.writeHead(403).end('{"kind":"Status","reason":"Forbidden","message":"you may not"}');
  });
  api.on(/GET \/odd/, (response) => response.writeHead(502).end("<html>bad gateway"));
  api.on(/(POST \/made|PATCH \/patched)/, (response, _nth, request) => {
    heads.push(request.rawHeaders);
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => response.writeHead(201).end(body));
  });
  api.on(/GET \/watched\?.*watch=true/, (response) => {
    response.write('{"type":"ADDED"}\n{"type":"MODIFIED"}\n');
  });
});
after(() => api.stop());

const reach = (some: Partial<Reach> = {}): Reach => ({
  ...{ kubeconfig: api.kubeconfig, context: undefined, as: undefined, groups: [], ...some },
});

test("a request carries who asks, and as whom", async () => {
  const cluster = await openCluster(reach({ as: "jane", groups: ["dev", "ops"] }));
  assert.deepEqual(await cluster.get("/ok", { labelSelector: "a=b,c=d" }), { said: "yes" });
  assert.equal(api.asked.at(-1), "GET /ok?labelSelector=a%3Db%2Cc%3Dd");
  const sent = (heads.at(-1) ?? []).map((text) => text.toLowerCase());
  const valuesOf = (name: string): string[] => sent.filter((_, index) => sent[index - 1] === name);
  assert.match(valuesOf("authorization").join(), /^bearer ./);
  assert.deepEqual([valuesOf("impersonate-user"), valuesOf("impersonate-group")], [["jane"], ["dev", "ops"]]);
});

test("without --as nothing is impersonated", async () => {
  const cluster = await openCluster(reach());
  await cluster.get("/ok");
  assert.doesNotMatch((heads.at(-1) ?? []).join(" "), /impersonate/i);
  assert.deepEqual([cluster.namespace, cluster.context], ["default", "x"]);
});

test("what is created comes back as the server made it", async () => {
  const cluster = await openCluster(reach());
  assert.deepEqual(await cluster.create("/made", { text: "größe" }), { text: "größe" });
});

test("a patch is one that is merged", async () => {
  const cluster = await openCluster(reach());
  assert.deepEqual(await cluster.patch("/patched", { a: "größe" }, { dryRun: "All" }), { a: "größe" });
  assert.equal(api.asked.at(-1), "PATCH /patched?dryRun=All");
  assert.ok((heads.at(-1) ?? []).includes("application/merge-patch+json"));
});

test("an API server that accepts and is silent ends with the signal, and so does an answer that stays half", async () => {
  api.on(/GET \/silent/, () => undefined);
  api.on(/GET \/half/, (response) => response.write('{"a":'));
  const cluster = await openCluster(reach());
  for (const path of ["/silent", "/half"]) {
    const began = performance.now();
    await assert.rejects(
      cluster.get(path, {}, AbortSignal.timeout(200)),
      /^ApiFailure: (cannot reach|the API server's)/,
    );
    assert.ok(performance.now() - began < 20_000);
  }
});

test("a watch says how long it may be silent", async () => {
  const cluster = await openCluster(reach());
  const stopping = AbortSignal.timeout(200);
  for await (const line of cluster.watch("/watched", {}, stopping)) assert.ok(line);
  assert.match(api.asked.at(-1) ?? "", /[?&]timeoutSeconds=120(&|$)/);
});

const failures: readonly (readonly [path: string, status: number, reason: string, words: RegExp])[] = [
  ["/no", 403, "Forbidden", /^you may not$/],
  ["/odd", 502, "", /^HTTP status 502$/],
  ["/none", 404, "", /^HTTP status 404$/],
];
for (const [path, status, reason, words] of failures) {
  test(`${path} is a failure with status ${status}`, async () => {
    const cluster = await openCluster(reach());
    await assert.rejects(cluster.get(path), (error) => {
      assert.ok(error instanceof ApiFailure);
      assert.deepEqual([error.status, error.reason], [status, reason]);
      assert.match(error.message, words);
      return true;
    });
  });
}

test("a watch is told line by line, and ends with its signal", { timeout: 20_000 }, async () => {
  const cluster = await openCluster(reach());
  const stopping = new AbortController();
  const seen: unknown[] = [];
  for await (const line of cluster.watch("/watched", {}, stopping.signal)) {
    seen.push(line);
    if (seen.length === 2) stopping.abort();
  }
  assert.deepEqual(seen, [{ type: "ADDED" }, { type: "MODIFIED" }]);
});

async function withKubeconfig(name: string, change: (text: string) => string): Promise<string> {
  const file = join(dirname(api.kubeconfig), name);
  await writeFile(file, change(await readFile(api.kubeconfig, "utf8")));
  return file;
}

test("a server that is away is named, with the context that leads to it", async () => {
  const kubeconfig = await withKubeconfig("away", (text) => text.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1"));
  const cluster = await openCluster(reach({ kubeconfig }));
  await assert.rejects(
    cluster.get("/ok"),
    /cannot reach the API server at http:\/\/127\.0\.0\.1:1 \(context \S+\): .*ECONNREFUSED/,
  );
  const secret = await withKubeconfig("secret", (text) => text.replace(/127\.0\.0\.1:\d+/, "jane:pass@127.0.0.1:1"));
  await assert.rejects((await openCluster(reach({ kubeconfig: secret }))).get("/ok"), (error) => {
    assert.match(String(error), /at http:\/\/127\.0\.0\.1:1 \(/);
    return true;
  });
});

test("a context or a kubeconfig that there is not is an error that says so", async () => {
  await assert.rejects(openCluster(reach({ context: "nowhere" })), /the kubeconfig has no context "nowhere"/);
  await assert.rejects(
    openCluster(reach({ kubeconfig: "/nowhere/config" })),
    /cannot read the kubeconfig \/nowhere\/config/,
  );
});

test("a program that the kubeconfig names to sign in is run, and its token is used", async () => {
  const credential = {
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token: "of-exec" },
  };
  const exec = {
    ...{ apiVersion: credential.apiVersion, interactiveMode: "Never", command: "printf" },
    args: ["%s", JSON.stringify(credential)],
  };
  const Users = z.looseObject({ users: z.array(z.looseObject({ name: z.string() })) });
  const kubeconfig = await withKubeconfig("exec", (text) => {
    const config = Users.parse(parse(text));
    return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { exec } })) });
  });
  await (await openCluster(reach({ kubeconfig }))).get("/ok");
  assert.match((heads.at(-1) ?? []).join(" "), /Bearer of-exec/);
  const failing = await withKubeconfig("failing", () =>
    readFileSync(kubeconfig, "utf8").replace("printf", "/bin/false"),
  );
  await assert.rejects(openCluster(reach({ kubeconfig: failing })), /^Trouble: cannot sign in as the kubeconfig says/);
});

/** Answers 401 to all but the token that is good now. */
let good = "first";
function guarded(response: ServerResponse, request: IncomingMessage): void {
  const isKnown = request.headers.authorization === `Bearer ${good}`;
  const status = { kind: "Status", reason: "Unauthorized", message: "Unauthorized" };
  response.writeHead(isKnown ? 200 : 401).end(isKnown ? '{"type":"ADDED"}' : JSON.stringify(status));
}

test("who has been known, and is not any more, signs in again: once", async () => {
  const asked = (): number => api.asked.filter((line) => line.startsWith("GET /guarded")).length;
  api.on(/GET \/guarded/, (response, _nth, request) => {
    guarded(response, request);
  });
  const token = join(dirname(api.kubeconfig), "token");
  await writeFile(token, "first");
  const kubeconfig = await withKubeconfig("rotating", (text) => text.replace("token: secret", `tokenFile: ${token}`));
  const cluster = await openCluster(reach({ kubeconfig }));
  await cluster.get("/guarded");
  good = "second";
  await writeFile(token, "second");
  assert.deepEqual(await Promise.all([cluster.get("/guarded"), cluster.get("/guarded")]), [
    { type: "ADDED" },
    { type: "ADDED" },
  ]);
  good = "third";
  await writeFile(token, "third");
  const seen: unknown[] = [];
  for await (const line of cluster.watch("/guarded", {}, new AbortController().signal)) seen.push(line);
  assert.deepEqual(seen, [{ type: "ADDED" }]);
  const before = asked();
  good = "of another";
  await assert.rejects(cluster.get("/guarded"), (error) => isFailure(error, 401));
  assert.equal(asked(), before + 2);
  // one that has never been known is not tried twice
  await assert.rejects(cluster.get("/guarded"), (error) => isFailure(error, 401));
  assert.equal(asked(), before + 3);
});

test("who signs in again does so where they were, whatever context is the current one by then", async () => {
  api.on(/GET \/guarded/, (response, _nth, request) => {
    guarded(response, request);
  });
  good = "before";
  const token = join(dirname(api.kubeconfig), "moved-token");
  await writeFile(token, good);
  const kubeconfig = await withKubeconfig("moved", (text) => text.replace("token: secret", `tokenFile: ${token}`));
  const cluster = await openCluster(reach({ kubeconfig }));
  await cluster.get("/guarded");
  good = "after";
  await writeFile(token, good);
  const config = z.looseObject({}).parse(parse(readFileSync(kubeconfig, "utf8")));
  await writeFile(kubeconfig, stringify({ ...config, "current-context": "another" }));
  assert.deepEqual(await cluster.get("/guarded"), { type: "ADDED" });
});

test("no text of an object makes a terminal do anything", () => {
  const texts = [
    "\\u001b[2J",
    "a\\u0007b",
    "\\u009b31m",
    "\u009b31m",
    "x\\by",
    "\u007f",
    "line\\r\\nnext\\ttab",
    "größe",
    "\\u202egpj.exe",
    "\u2066a\u2069\\u200fb",
  ];
  const seen = texts.map((text) => plainJson(`{"a":["${text}"]}`));
  assert.deepEqual(
    seen,
    ["[2J", "ab", "31m", "31m", "xy", "", "line\nnext\ttab", "größe", "gpj.exe", "a\u200fb"].map((text) => ({
      a: [text],
    })),
  );
});
