import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import { begun, ended, event, json, startScriptedApi, type ScriptedApi } from "../../fakes/scripted-api";
import { eventually } from "../../harness/eventually";
import type { DatabaseView } from "./snapshot";
import { startRecorder, type Recorder } from "./recorder";

let api: ScriptedApi;
let recorder: Recorder;

beforeEach(async () => {
  api = await startScriptedApi();
  api.on(/secrets/, begun());
});
afterEach(async () => {
  recorder.stop();
  await api.stop();
});

const start = (): void => {
  recorder = startRecorder({ KUBECONFIG: api.kubeconfig });
};
const shop = (resourceVersion: string, generation: number): unknown => ({
  metadata: { namespace: "n", name: "shop", resourceVersion, generation },
  spec: {},
});
const place = ["n", "shop"] as const;
const generationIs =
  (wanted: number) =>
  ({ generation }: DatabaseView): boolean =>
    generation === wanted;
const asked = (): string[] =>
  api.asked.filter((line) => line.includes("databases")).map((line) => /resourceVersion=\d+/.exec(line)?.[0] ?? "all");

test("every version is kept, in order, with its last", async () => {
  api.on(
    /databases/,
    begun(event("ADDED", shop("1", 1)), event("MODIFIED", shop("2", 2)), event("DELETED", shop("3", 2))),
  );
  start();
  await recorder.history.until(place, (_database, { deleted }) => deleted);
  const told = recorder.history.watched.map(({ deleted, first, database }) => [database.generation, first, deleted]);
  assert.deepEqual(told, [
    [1, true, false],
    [2, false, false],
    [2, false, true],
  ]);
});

test("a watch that ends or breaks continues after the last version", async () => {
  api.on(/databases/, begun());
  api.on(/databases.*resourceVersion=7/, ended("cut", event("MODIFIED", shop("8", 3)), '{"type":"MODI'));
  api.on(/databases.*resourceVersion=8/, begun(event("MODIFIED", shop("9", 4))));
  const bookmark = event("BOOKMARK", { metadata: { resourceVersion: "7" } });
  api.on(/databases\?watch=true&allowWatchBookmarks=true$/, ended("end", event("ADDED", shop("1", 1)), bookmark));
  start();
  await recorder.history.until(place, generationIs(4));
  assert.deepEqual(asked(), ["all", "resourceVersion=7", "resourceVersion=8"]);
  assert.deepEqual(
    recorder.history.watched.map(({ database }) => database.generation),
    [1, 3, 4],
  );
});

const expirations = {
  "by an event": ended("end", event("ERROR", { code: 410, message: "too old resource version" })),
  "by its status": json({ message: "too old resource version", reason: "Expired" }, 410),
};
for (const [how, answer] of Object.entries(expirations))
  test(`a watch that expired ${how} shows everything again`, async () => {
    api.on(/databases/, (response, nth, request) => {
      const chunks = nth === 0 ? ended("end", event("ADDED", shop("5", 1))) : begun(event("ADDED", shop("9", 2)));
      chunks(response, nth, request);
    });
    api.on(/databases.*resourceVersion=5/, answer);
    start();
    await recorder.history.until(place, generationIs(2));
    assert.deepEqual(asked(), ["all", "resourceVersion=5", "all"]);
  });

test("an API server that is down, or does not know Databases yet, is asked again", async () => {
  api.on(/databases/, (response, nth, request) => {
    if (nth === 0) response.destroy();
    else if (nth === 1) response.writeHead(404).end("404 page not found\n");
    else begun(event("ADDED", shop("1", 1)))(response, nth, request);
  });
  start();
  await recorder.history.until(place, generationIs(1));
});

test("passwords of Secrets are kept, those that are gone too", async () => {
  const secret = (password: string): unknown => ({
    metadata: { name: "shop-system", namespace: "n", resourceVersion: "1" },
    data: { password: Buffer.from(password).toString("base64") },
  });
  api.on(/databases/, begun());
  api.on(
    /secrets/,
    begun(event("ADDED", secret("first")), event("DELETED", secret("first")), event("ADDED", secret("second"))),
  );
  start();
  await eventually(() => {
    assert.deepEqual([...recorder.canaries], ["first", "second"]);
  });
});

test("what was so for a moment can be asked for later, and from when", async () => {
  api.on(
    /databases/,
    begun(event("ADDED", shop("1", 1)), event("MODIFIED", shop("2", 2)), event("MODIFIED", shop("3", 3))),
  );
  start();
  await recorder.history.until(place, generationIs(3));
  assert.equal(recorder.history.find(place, generationIs(2))?.database.generation, 2);
  assert.equal(recorder.history.find(place, generationIs(2), recorder.history.mark()), undefined);
  assert.equal(recorder.history.find(["n", "other"], generationIs(2)), undefined);
});

test("a version that never came is reported with those that did", async () => {
  api.on(/databases/, begun(event("ADDED", shop("1", 1))));
  start();
  await recorder.history.until(place, generationIs(1));
  await assert.rejects(
    recorder.history.until(place, generationIs(2), { withinMs: 50 }),
    /no such version of n\/shop within 0\.05 s; there were:\n\d{4}-.* generation 1: $/,
  );
  const since = recorder.history.mark();
  await assert.rejects(recorder.history.until(place, generationIs(1), { since, withinMs: 50 }), /there were:\nnone$/);
});
