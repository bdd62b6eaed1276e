import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { browse, shown, type Browser } from "../../../test/fakes/plugin/console";
import { orders } from "../../../test/fakes/plugin/shop";

/** As a person reads it. */
const words = (html: string): string =>
  html
    .replace(/<head>.*?<\/head>/s, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

const Body = z.object({
  spec: z.object({
    database: z.object({ metadata: z.object({ name: z.string() }) }),
    assume: z.unknown().optional(),
  }),
});
type Told = z.infer<typeof Body>["spec"];

/** An operator that would restart `orders`, and do nothing to the others; and what it was asked. */
function served(fake: Parameters<typeof browse>[0] = {}): readonly [Browser, Told[]] {
  const asked: Told[] = [];
  const preview = (body: unknown): unknown => {
    const { spec } = Body.parse(body);
    asked.push(spec);
    if (spec.database.metadata.name !== "orders") return { outcome: "Unchanged", consequences: [] };
    const consequences = [{ effect: "Switchover", members: ["orders-0"], message: "another member takes over" }];
    return { outcome: "Planned", effect: "Switchover", consequences };
  };
  return [browse({ ...fake, fake: { preview, ...fake.fake } }), asked];
}

async function upgrade(browser: Browser, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const token = await browser.tokenAt("/upgrade");
  const { status, text } = await browser.post("/upgrade", { token, ...fields });
  assert.equal(status, 200);
  return text;
}

test("all that a person may see are asked about as they are, those first that it hurts", async () => {
  const [browser, asked] = served();
  const text = await upgrade(browser);
  assert.match(words(text), /4 Databases: 1 interrupted, 0 wait, 3 notice nothing/);
  assert.match(words(text), /shop\/ orders Switchover 1 – another member takes over bank\/ ledger Harmless/);
  assert.match(text, /href="\/c\/databases\/shop\/orders"/);
  assert.deepEqual(
    asked.map(({ assume }) => assume),
    [undefined, undefined, undefined, undefined],
  );
  assert.match((await browser.get("/")).text, /href="\/c\/upgrade"/);
});

const catalogue = { postgresql: { "17.12": { image: "next" } } };
const texts: Readonly<Record<string, string>> = {
  JSON: JSON.stringify(catalogue),
  YAML: "postgresql:\r\n  '17.12':\r\n    image: next\r\n",
  "its ConfigMap": JSON.stringify({ kind: "ConfigMap", data: { "catalogue.json": JSON.stringify(catalogue) } }),
};
for (const [form, text] of Object.entries(texts)) {
  test(`a catalogue is assumed of all of a namespace: ${form}`, async () => {
    const [browser, asked] = served();
    const html = await upgrade(browser, { namespace: "bank", catalogue: text });
    assert.deepEqual(
      asked.map(({ database, assume }) => [database.metadata.name, assume]),
      [["ledger", { catalogue }]],
    );
    assert.match(html, /name="namespace" value="bank"/);
  });
}

test("of what is no catalogue nothing is asked, and where previews are not served it is not called harmless", async () => {
  const [browser, asked] = served();
  assert.match(await upgrade(browser, { catalogue: "- a" }), /this is no catalogue/);
  assert.match(await upgrade(browser, { catalogue: "a: [" }), /this is neither JSON nor YAML/);
  assert.deepEqual(asked, []);
  assert.match(await upgrade(browse()), /Not previewed: .*previewApi is off.*harmless does not follow/);
});

test("one that is being deleted is not asked about, nor more than a browser waits for, and that is said", async () => {
  const many = Array.from({ length: 62 }, (_, index) => ({
    ...orders,
    metadata: { ...orders.metadata, name: `orders-${index}` },
  }));
  const ending = { ...orders, metadata: { ...orders.metadata, deletionTimestamp: "2026-11-27T14:00:00Z" } };
  const [browser, asked] = served({ fake: { objects: [ending, ...many] } });
  assert.match(words(await upgrade(browser)), /2 more were not asked about/);
  assert.equal(asked.length, 60);
  assert.ok(!asked.some(({ database }) => database.metadata.name === "orders"));
});

test("it is asked by a form of its own pages, of namespaces that can be, and a stranger learns nothing", async () => {
  const [browser, asked] = served({ fake: { objects: shown } });
  assert.equal((await browser.post("/upgrade", {})).status, 403);
  const token = await browser.tokenAt("/upgrade");
  assert.equal((await browser.post("/upgrade", { token }, { origin: "https://elsewhere.example" })).status, 403);
  assert.equal((await browser.post("/upgrade", { token, namespace: ".." })).status, 400);
  assert.deepEqual(asked, []);
  const stranger = browse({ fake: { forbidden: ["databases", "namespaces"] }, known: ["shop"] });
  const { status, text } = await stranger.post("/upgrade", { token: await stranger.tokenAt("/upgrade") });
  assert.equal(status, 403);
  assert.doesNotMatch(text, /orders|ledger/);
});

test("what is written into the form, and what is said of a Database, stays text", async () => {
  const hostile = `</textarea><script>alert(2)</script>"'>`;
  const [browser] = served({ fake: { preview: () => ({ outcome: "Failed", message: hostile }) } });
  for (const catalogueText of [hostile, `a: ${JSON.stringify(hostile)}`]) {
    const text = await upgrade(browser, { catalogue: catalogueText });
    assert.doesNotMatch(text, /<script(?! src)/);
    assert.match(text, /&lt;script&gt;/);
  }
});
