import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { browse } from "../../../test/fakes/plugin/console";
import { fakeCluster } from "../../../test/fakes/plugin/cluster";
import { reportOn } from "../../../test/fakes/plugin/previews";
import { everything } from "../../../test/fakes/plugin/shop";
import { billing, billingPods } from "../../../test/fakes/plugin/waiting";
import type { Stored } from "../../../test/fakes/plugin/cluster";

const pageAt = async (path: string): Promise<string> => (await browse().get(path)).text;

/** As a person reads it: no tags, one space. */
const words = (html: string): string =>
  html
    .replace(/<head>.*?<\/head>/s, "")
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&#39;", "'")
    .replace(/\s+/g, " ");

test("those that need a person come first, and what they need is said", async () => {
  const text = words(await pageAt("/"));
  assert.match(text, /4 Databases; 3 need you/);
  const order = ["bank/ ledger", "shop/ cart", "shop/ billing", "shop/ orders"].map((name) => text.indexOf(name));
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    order,
  );
  assert.match(
    text,
    /billing Ready PostgreSQL 17\.12 3 of 3 12 h ago 1 h ago waits for approval, and then for a window/,
  );
});

test("namespaces that were too many to be looked into are told, and not passed over", async () => {
  const known = ["shop", "bank", ...Array.from({ length: 299 }, (_, index) => `team-${index}`)];
  const { text } = await browse({ fake: { onlyIn: ["shop"] }, known }).get("/");
  assert.match(words(text), /1 namespace was not looked into: write it into the field/);
  assert.doesNotMatch(
    words((await browse({ fake: { onlyIn: ["shop"] }, known: ["shop"] }).get("/")).text),
    /looked into/,
  );
});

test("a part of the name, the engine or the state is looked for, and what was typed stays", async () => {
  const html = await pageAt("/?q=MySQL");
  assert.match(words(html), /shop\/ cart/);
  assert.doesNotMatch(words(html), /orders|ledger/);
  assert.match(html, /name="q" value="MySQL"/);
  assert.match(words(await pageAt("/?q=nothing+of+that")), /None of them fits/);
  assert.doesNotMatch(words(await pageAt("/?namespace=bank")), /orders/);
});

test("a change that waits is shown whole: fields, sentences, what happens to each member, and the plan", async () => {
  const text = words(await pageAt("/databases/shop/billing"));
  assert.match(text, /A change waits Switchover It waits for approval, and then for a window, which opens 2026-11-29/);
  assert.match(text, /Asked for 2 h ago by john@example\.com/);
  assert.match(text, /spec\.config\.max_connections 100 150 spec\.config\.work_mem – 16MB/);
  assert.match(text, /billing-0 Switchover 3 of 3 billing-1 Restart 2 of 3 billing-2 Restart 1 of 3/);
  assert.match(text, /Plan 7f3c9a51d0e2 , can be approved until 2026-12-27 12:40 UTC/);
});

test("one that is not well says why, and what to do", async () => {
  const text = words(await pageAt("/databases/bank/ledger"));
  assert.match(text, /Not ready PostgreSQL 17\.12/);
  assert.match(text, /WaitingForMembers Ready, Reconciling, 19 min ago 1 of 2 members is ready; ledger-1 is not/);
  assert.match(text, /What to do kubectl logs -n bank -l database=ledger/);
  assert.match(text, /ledger-1 replica runs, and is not ready yet restarted 3×: OOMKilled, exit code 137/);
});

test("what may not be seen is named, and what is missing is not called gone", async () => {
  const { text } = await browse({ fake: { forbidden: ["pods", "databasebackups"] } }).get("/databases/shop/orders");
  assert.match(words(text), /Not shown: pods: you may not list pods in namespace shop/);
  assert.doesNotMatch(words(text), /there is no pod/);
});

test("why shows what led to the start of each member, and what happened", async () => {
  const text = words(await pageAt("/databases/shop/orders/why"));
  assert.match(
    text,
    /orders-1 29 min ago the operator: restarting orders-1: 1 of 3 \(replica\) revision 41: max_connections 100 → 150 asked for by argocd/,
  );
  assert.match(text, /DriftCorrected Service orders-ro was edited by kubectl-edit/);
});

test("why tells what the history has, and hides nothing that may be read", async () => {
  const text = words(await pageAt("/databases/shop/orders/why"));
  assert.match(text, /Changed revision 40: /);
  assert.doesNotMatch(text, /Not shown/);
});

test("the history has a line for each change, and a page for each", async () => {
  const html = await pageAt("/databases/shop/orders/history");
  assert.match(
    words(html),
    /40 5 d ago jane, approved: maria Complete restarted 3, no primary 2 s image postgresql:17\.11 → postgresql:17\.12/,
  );
  assert.match(html, /href="\/c\/databases\/shop\/orders\/history\/40"/);
  const one = words(await pageAt("/databases/shop/orders/history/40"));
  assert.match(one, /Revision 40 Complete When 2026-11-22 02:03 UTC , 5 d ago ; complete after 3 min/);
  assert.match(one, /By jane, through argocd-controller, generation 3/);
  assert.match(one, /spec\.version 17\.11 17\.12/);
  assert.match(one, /Restart all members restart Switchover another member .* approved by maria/);
  assert.match(one, /orders-0 Interrupted for 2 s orders-0, which led, was restarted revision 40: /);
  assert.match(words(await pageAt("/databases/shop/orders/history/39")), /Put back Service orders-ro was edited/);
  assert.match(await pageAt("/databases/shop/orders"), /history\/41">revision 41<\/a>/);
});

test("a revision is compared with the spec of now, and with any other one, from the older to the newer", async () => {
  const now = words(await pageAt("/databases/shop/orders/history/40"));
  assert.match(now, /From revision 40 to the spec of now: Field Before After spec\.config\.max_connections 100 150/);
  const newer = await pageAt("/databases/shop/orders/history/39?with=40");
  assert.match(words(newer), /From revision 39 to revision 40: Field Before After spec\.version 17\.11 17\.12/);
  assert.match(newer, /<option value="40" selected="">revision 40<\/option>/);
  const older = words(await pageAt("/databases/shop/orders/history/40?with=39"));
  assert.match(older, /From revision 39 to revision 40: Field Before After spec\.version 17\.11 17\.12/);
  assert.match(
    words(await pageAt("/databases/shop/orders/history/41")),
    /revision 41 and the spec of now ask for the same/,
  );
  // what there is not counts as now
  assert.equal(words(await pageAt("/databases/shop/orders/history/40?with=7")), now);
  const objects = everything.map((one) =>
    one.metadata.name.endsWith("-40") ? { ...one, spec: { ...Spec.parse(one["spec"]), template: undefined } } : one,
  );
  const { text } = await browse({ fake: { objects } }).get("/databases/shop/orders/history/41?with=40");
  assert.match(words(text), /One of the two specs was not kept/);
});

const Spec = z.looseObject({});

test("what going back would do is previewed, and the page says how to do it", async () => {
  const browser = browse({ fake: { preview: reportOn } });
  const token = await browser.tokenAt("/databases/shop/orders/history/40");
  const at = (revision: number): string => `/databases/shop/orders/history/${revision}/rollback`;
  const { status, text } = await browser.post(at(40), { token });
  assert.equal(status, 200);
  assert.match(
    words(text),
    /Back to revision 40 .*What it would do .*To those who use it Switchover when it is the primary's turn/,
  );
  assert.match(words(text), /kubectl database-operator rollback orders -n shop --to-revision=40 Or write/);
  const older = await browser.post(at(39), { token });
  assert.match(words(older.text), /It ran version 17\.11, and 17\.12 is asked for now: /);
  assert.doesNotMatch(older.text, /What it would do/);
  const kept = words((await browser.post(at(39), { token, version: "keep" })).text);
  assert.match(kept, /spec\.version : an engine does not .*--to-revision=39 --keep-version/);
  assert.match(words((await browser.post(at(41), { token })).text), /nothing to change: its spec is that of now/);
  assert.equal((await browser.post(at(7), { token })).status, 404);
  assert.equal((await browser.post(at(40), {})).status, 403);
});

test("a tool that would write over a rollback is named, and what is not previewed is not called harmless", async () => {
  const annotations = { "argocd.argoproj.io/tracking-id": "shop:x" };
  const objects = everything.map((one) =>
    one.kind === "Database" ? { ...one, metadata: { ...one.metadata, annotations } } : one,
  );
  const browser = browse({ fake: { objects } });
  const token = await browser.tokenAt("/databases/shop/orders/history/40");
  const text = words((await browser.post("/databases/shop/orders/history/40/rollback", { token })).text);
  assert.match(text, /Argo CD \(shop:x\) has this Database, and would write over it; .* in Git\./);
  assert.match(text, /Not previewed: .*harmless does not follow/);
});

test("a history that there is not, or that may not be read, is told as that", async () => {
  const browser = browse({ fake: { forbidden: ["databaserevisions"] } });
  const none = await browser.get("/databases/shop/orders/history");
  assert.match(words(none.text), /Not shown: databaserevisions: you may not list/);
  for (const number of ["7", "41x", "..%2f41", "041"])
    assert.equal((await browse().get(`/databases/shop/orders/history/${number}`)).status, 404, number);
  assert.match(words(await pageAt("/databases/shop/billing/history")), /None yet: the operator records/);
  assert.equal((await browser.get("/databases/shop/orders/history/41")).status, 404);
});

test("an edit is previewed, and the page says how to do it", async () => {
  const browser = browse({ fake: { preview: reportOn } });
  const token = await browser.tokenAt("/databases/shop/orders/edit");
  const spec =
    "engine: postgresql\nversion: '17.12'\nreplicas: 3\nstorage: 100Gi\nconfig: {it's: 'so', max_connections: '150'}\nbackup: {enabled: true, schedule: 0 2 * * *}";
  const { status, text } = await browser.post("/databases/shop/orders/edit", { token, spec });
  assert.equal(status, 200);
  assert.match(
    words(text),
    /What it would do .*spec\.config\.max_connections 100 150 To those who use it Switchover when it is the primary's turn/,
  );
  assert.match(
    words(text),
    /kubectl patch database orders -n shop --type=merge -p '\{&quot;spec&quot;:\{&quot;config&quot;:\{&quot;it'\\''s&quot;:&quot;so&quot;\}\}\}'/,
  );
});

test("of what is no spec nothing is asked, and where previews are not served it is not called harmless", async () => {
  const browser = browse();
  const token = await browser.tokenAt("/databases/shop/orders/edit");
  const edited = async (spec: string): Promise<string> =>
    words((await browser.post("/databases/shop/orders/edit", { token, spec })).text);
  assert.match(await edited("- a"), /this is no spec/);
  assert.match(await edited("a: ["), /this is no YAML/);
  assert.match(await edited("replicas: 5"), /Not previewed: .*previewApi is off.*harmless does not follow/);
});

const hostile = `"'><img src=x onerror=alert(1)></textarea><script>alert(2)</script>\u202e&amp;`;

/** Every text that an attacker may have written; what pages are found by, and times, stay. */
function poisoned(value: unknown, key = ""): unknown {
  const isNeeded =
    /^(kind|name|namespace|apiVersion|labels|uid|type|status|state|lastTransitionTime|digest|effect|phase|waitsFor|operation|outcome)$|At$|Timestamp$/;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, key));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([at, inner]) => [at, at === "labels" ? inner : poisoned(inner, at)]),
    );
  return typeof value === "string" && !isNeeded.test(key) ? `${value}${hostile}` : value;
}

/** Tags and attributes that no page has, once the values of attributes are left out. */
const forbidden = /<(img|iframe|object|embed|svg|style|base)\b|<script(?! src="" defer="">)|<[^>]*\son[a-z]+=/i;
const isSafe = (html: string): boolean => !forbidden.test(html.replace(/="[^"]*"/g, '=""'));

test("whatever stands in objects stays text, on every page", async () => {
  const objects = [...everything, billing, ...billingPods].map((one) => poisoned(one) as Stored);
  assert.ok(fakeCluster({ objects }));
  const browser = browse({ fake: { objects, preview: (body) => poisoned(reportOn(body)) }, known: [] });
  const token = await browser.tokenAt("/databases/shop/orders/edit");
  const pages = await Promise.all([
    ...["/", "/databases/shop/orders", "/databases/shop/billing", "/databases/bank/ledger", "/databases/shop/cart"].map(
      (path) => browser.get(path),
    ),
    ...["/databases/shop/orders/why", "/databases/bank/ledger/why", "/databases/shop/orders/edit"].map((path) =>
      browser.get(path),
    ),
    ...["/databases/shop/orders/history", "/databases/shop/orders/history/40"].map((path) => browser.get(path)),
    browser.get("/databases/shop/orders/backups?name=again"),
    browser.get(`/databases/shop/orders/history/40?with=${encodeURIComponent(hostile)}`),
    browser.post("/databases/shop/orders/history/40/rollback", { token }),
    browser.post("/databases/shop/orders/history/39/rollback", { token, version: "keep" }),
    browser.get(`/?q=${encodeURIComponent(hostile)}`),
    browser.get(`/databases/shop/${encodeURIComponent(hostile)}`),
    browser.get(`/databases/shop/orders?done=${encodeURIComponent(hostile)}`),
    browser.post("/databases/shop/orders/edit", { token, spec: `a: ${JSON.stringify(hostile)}` }),
    browser.post("/databases/shop/orders/edit", { token, spec: hostile }),
  ]);
  assert.ok(!isSafe(`<p>${hostile}</p>`));
  let seen = 0;
  for (const { text } of pages) {
    assert.ok(isSafe(text), text);
    seen += text.includes("&lt;img src=x") ? 1 : 0;
  }
  assert.ok(seen > 8, `${seen} pages had it`);
});
