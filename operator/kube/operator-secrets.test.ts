import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { json, notFound } from "../../test/fakes/scripted-api";
import { connected } from "../../test/fakes/scripted-client";
import { encode, ensureSecret, type Replacement } from "./operator-secrets";

const secretOf = (text: string): unknown => ({ metadata: { resourceVersion: "7" }, data: { it: encode(text) } });
const conflict = json({ kind: "Status", reason: "AlreadyExists", message: "it exists" }, 409);

interface Scene {
  /** What is there; undefined: nothing. */
  readonly there?: string;
  readonly isNew: boolean;
  readonly counts?: boolean;
}

/** Ensures a Secret in that scene; returns what it holds then, and what was asked. */
async function ensured(t: TestContext, { there, isNew, counts = true }: Scene): Promise<[string, readonly string[]]> {
  const { api, client } = await connected(t);
  api.on(/^GET /, there === undefined ? notFound : json(secretOf(there)));
  api.on(/^POST /, there === undefined ? json(secretOf("new")) : conflict);
  api.on(/^PUT /, json(secretOf("new")));
  const replacement: Replacement = { counts: () => counts, before: () => Promise.resolve(), isNew };
  const make = (): Promise<{ record: "credentials"; data: Record<string, string> }> =>
    Promise.resolve({ record: "credentials", data: { it: encode("new") } });
  const { it = "" } = await ensureSecret({ client, namespace: "system" }, "credentials.shop", make, replacement);
  const methods = api.asked.map((line) => line.split(" ")[0] ?? "");
  return [Buffer.from(it, "base64").toString(), methods];
}

test("one that is most likely new is created without a look", async (t) => {
  assert.deepEqual(await ensured(t, { isNew: true }), ["new", ["POST"]]);
});

test("one that is there after all is kept", async (t) => {
  assert.deepEqual(await ensured(t, { there: "kept", isNew: true }), ["kept", ["POST", "GET"]]);
});

test("one that is there after all and does not count is replaced", async (t) => {
  const [text, methods] = await ensured(t, { there: "kept", isNew: true, counts: false });
  assert.deepEqual([text, methods], ["new", ["POST", "GET", "PUT"]]);
});

test("any other one is looked for first", async (t) => {
  assert.deepEqual(await ensured(t, { there: "kept", isNew: false }), ["kept", ["GET"]]);
  assert.deepEqual(await ensured(t, { isNew: false }), ["new", ["GET", "POST"]]);
});
