import assert from "node:assert/strict";
import test from "node:test";
import { Script } from "node:vm";
import { z } from "zod";
import { browse, origin } from "../../../test/fakes/plugin/console";
import { approvedBilling, billing, plan } from "../../../test/fakes/plugin/waiting";
import { approvalRefusals } from "../../../contract/approvals";
import { ApiFailure } from "../../command/world";
import { liveScript } from "../assets/script";
import { guarded } from "../access/guard";

const paths = [
  ...["/", "/databases/shop/orders", "/databases/shop/orders/why", "/databases/shop/orders/edit", "/databases/x/y"],
  ...["/nowhere", "/assets/console.css", "/assets/console.js", "/?namespace=A", "/databases/shop/orders/nothing"],
];

for (const path of paths) {
  test(`${path} says to the browser what it may do, and to keep nothing`, async () => {
    const { headers } = await browse().get(path);
    assert.equal(
      headers.get("content-security-policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    const said = ["cache-control", "referrer-policy", "x-content-type-options", "x-frame-options"].map((name) =>
      headers.get(name),
    );
    assert.deepEqual(said, ["no-store", "no-referrer", "nosniff", "DENY"]);
    assert.equal(headers.get("strict-transport-security"), null);
    assert.equal(headers.get("access-control-allow-origin"), null);
  });
}

const statuses: readonly (readonly [path: string, status: number, words: RegExp])[] = [
  ["/databases/shop/zebra", 404, /There is no such Database/],
  ["/databases/Shop/orders", 404, /There is no such Database/],
  ["/databases/shop/..%2f..%2fsecrets", 404, /There is no such Database/],
  ["/databases/shop/orders/secrets", 404, /There is no such page/],
  ["/nowhere", 404, /There is no such page/],
  ["/?namespace=..", 400, /A namespace has small letters/],
];
for (const [path, status, words] of statuses) {
  test(`${path} is answered with ${status}, in words`, async () => {
    const answer = await browse().get(path);
    assert.equal(answer.status, status);
    assert.match(answer.text, words);
  });
}

test("a stranger sees nothing: no name, no count, no page of a Database, whether there is one or not", async () => {
  const stranger = browse({
    fake: { forbidden: ["databases", "pods", "databasebackups", "events", "namespaces"] },
    known: ["shop"],
  });
  for (const path of [
    "/",
    "/?namespace=shop",
    "/databases/shop/orders",
    "/databases/shop/zebra",
    "/databases/shop/orders/why",
    "/databases/shop/orders/edit",
    "/databases/shop/orders/history",
    "/databases/shop/orders/history/41",
    "/databases/shop/orders/history/41?with=40",
    "/databases/shop/orders/backups",
  ]) {
    const { status, text } = await stranger.get(path);
    assert.equal(status, 403, path);
    assert.match(text, /You may not see this/);
    assert.doesNotMatch(text, /cart|billing|ledger|PostgreSQL|17\.12/);
  }
  const ofNone = await stranger.get("/databases/shop/zebra");
  const ofOne = await stranger.get("/databases/shop/orders");
  assert.equal(ofNone.text.replaceAll("zebra", "orders"), ofOne.text);
});

test("who may read one namespace sees that one", async () => {
  const { text, status } = await browse({ fake: { onlyIn: ["bank"] }, known: ["shop", "bank"] }).get("/");
  assert.equal(status, 200);
  assert.match(text, /1 Database; 1 needs you/);
  assert.doesNotMatch(text, /orders|cart/);
});

const form = { digest: plan, when: "window" };
const page = "/databases/shop/billing";
const approve = `${page}/approve`;

test("an approval is the person's own patch: the plan that was shown, and their name", async () => {
  const patches: unknown[] = [];
  const browser = browse({ fake: { patched: (body) => patches.push(body) } });
  const token = await browser.tokenAt(page);
  const { status, headers } = await browser.post(approve, { ...form, token });
  assert.deepEqual([status, headers.get("location")], [303, `/c${page}?done=approved`]);
  await browser.post(approve, { ...form, when: "now", token });
  const by = { "database.example.com/approved-by": "jane" };
  assert.deepEqual(patches, [
    { metadata: { annotations: { "database.example.com/approve": plan, ...by } } },
    { metadata: { annotations: { "database.example.com/approve-now": plan, ...by } } },
  ]);
});

test("what was done is said while it is so, whatever a link says", async () => {
  const withApproval = browse({ fake: { objects: [approvedBilling] } });
  assert.match((await withApproval.get(`${page}?done=approved`)).text, /The approval is on record/);
  assert.doesNotMatch((await withApproval.get(`${page}?done=withdrawn`)).text, /No approval is on record/);
  assert.doesNotMatch((await browse().get(`${page}?done=approved`)).text, /approval is on record/);
  assert.match((await browse().get(`${page}?done=withdrawn`)).text, /No approval is on record/);
  // of nothing that waits
  assert.doesNotMatch((await browse().get("/databases/shop/orders?done=withdrawn")).text, /approval is on record/);
});

const nothing = Object.fromEntries(
  ["approve", "approve-now", "approved-by"].map((key) => [`database.example.com/${key}`, null]),
);

test("it is taken back by removing what it wrote, from the Database that was looked at", async () => {
  const patches: unknown[] = [];
  const browser = browse({ fake: { objects: [approvedBilling], patched: (body) => patches.push(body) } });
  const fields = { token: await browser.tokenAt(page), digest: plan };
  const { status, headers } = await browser.post(`${page}/withdraw`, fields);
  assert.deepEqual([status, headers.get("location")], [303, `/c${page}?done=withdrawn`]);
  assert.deepEqual(patches, [{ metadata: { resourceVersion: "77", annotations: nothing } }]);
});

test("an approval of another plan than the one that was shown is not taken back", async () => {
  const patched = (): never => assert.fail("it was written");
  const browser = browse({ fake: { objects: [approvedBilling], patched } });
  const fields = { token: await browser.tokenAt(page), digest: "0".repeat(64) };
  const { status, text } = await browser.post(`${page}/withdraw`, fields);
  assert.equal(status, 409);
  assert.match(text, /an approval of another plan is on record/);
  assert.equal((await browser.post(`${page}/withdraw`, { token: fields.token })).status, 400);
});

test("what changes meanwhile is looked at again before an approval is taken back", async () => {
  let tries = 0;
  const patched = (): void => {
    tries += 1;
    if (tries < 3) throw new ApiFailure(409, "Conflict", "the object has been modified");
  };
  const browser = browse({ fake: { objects: [approvedBilling], patched } });
  const fields = { token: await browser.tokenAt(page), digest: plan };
  assert.equal((await browser.post(`${page}/withdraw`, fields)).status, 303);
  assert.equal(tries, 3);
});

test("a change that the console cannot read is told, and is not nothing", async () => {
  const status = { ...z.looseObject({}).parse(billing["status"]), pendingChange: { plan: "of a newer operator" } };
  const browser = browse({ fake: { objects: [{ ...billing, status }] } });
  assert.match((await browser.get(page)).text, /A change waits.*cannot read what the operator says of it/s);
  assert.match((await browser.get("/")).text, /1 Database; 1 needs you.*waits, and cannot be read here/s);
});

test("without the kind no Database is said to be missing: the cluster does not have them", async () => {
  const browser = browse({ fake: { unknown: ["databases"] }, known: ["shop"] });
  for (const path of ["/", "/?namespace=shop", page]) {
    const { status, text } = await browser.get(path);
    assert.equal(status, 404, path);
    assert.match(text, /This cluster has no Databases/, path);
    assert.doesNotMatch(text, /There is no such Database/, path);
  }
});

const refusals: readonly (readonly [message: string, code: number, status: number, words: RegExp])[] = [
  ['User "jane" cannot patch resource "databases" in API group', 403, 403, /you \(jane\) may not patch databases/],
  [
    `denied request: ${approvalRefusals.noRight} databases.example.com`,
    403,
    403,
    /you \(jane\) may not approve databases/,
  ],
  [`jane ${approvalRefusals.author}`, 403, 403, /you asked for this change: another person must approve it/],
  [`x ${approvalRefusals.moved}abc: look at it again`, 422, 409, /the plan has moved since it was shown/],
  [approvalRefusals.none, 422, 409, /no change waits any more/],
];
for (const [message, code, status, words] of refusals) {
  test(`a refusal is told plainly, with ${status}: ${message.slice(0, 50)}`, async () => {
    const patched = (): never => {
      throw new ApiFailure(code, code === 403 ? "Forbidden" : "Invalid", message);
    };
    const browser = browse({ fake: { patched } });
    const answer = await browser.post(approve, { ...form, token: await browser.tokenAt(page) });
    assert.equal(answer.status, status);
    assert.match(answer.text, words);
  });
}

test("who may not patch cannot take an approval back either, and is told so", async () => {
  const patched = (): never => {
    throw new ApiFailure(403, "Forbidden", 'User "jane" cannot patch resource "databases" in API group');
  };
  const browser = browse({ fake: { objects: [approvedBilling], patched } });
  const { status, text } = await browser.post(`${page}/withdraw`, { token: await browser.tokenAt(page), digest: plan });
  assert.equal(status, 403);
  assert.match(text, /You may not do this.*you \(jane\) may not patch databases/s);
});

test("the script is one that a browser can read", () => {
  assert.ok(new Script(liveScript));
});

test("who may only look is shown no button, and told what is missing", async () => {
  const { text } = await browse({ fake: { withoutVerbs: ["approve", "patch"] } }).get(page);
  assert.doesNotMatch(text, /<button[^>]*name="when"/);
  assert.match(text, /You may not approve it: that needs the verbs approve and patch on this Database/);
});

const forged: Readonly<
  Record<
    string,
    readonly [fields: (token: string) => Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>]
  >
> = {
  "without a token": [() => form],
  "with a token of another": [() => ({ ...form, token: "A".repeat(43) })],
  "from another site": [
    (token) => ({ ...form, token }),
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
  ],
  "from another port": [
    (token) => ({ ...form, token }),
    { origin: "http://127.0.0.1:9", "sec-fetch-site": "same-site" },
  ],
  "without an origin": [(token) => ({ ...form, token }), {}],
  "as something else than a form": [(token) => ({ ...form, token }), { "content-type": "application/json", origin }],
};
for (const [what, [fields, headers]] of Object.entries(forged)) {
  test(`a form ${what} does nothing`, async () => {
    const patched = (): never => assert.fail("it was written");
    const browser = browse({ fake: { patched } });
    const token = await browser.tokenAt(page);
    assert.equal((await browser.post(approve, fields(token), headers)).status, 403);
    assert.equal((await browser.post(`${page}/withdraw`, fields(token), headers)).status, 403);
    assert.equal((await browser.get(approve)).status, 404);
  });
}

test("a form that names no plan does nothing", async () => {
  const patched = (): never => assert.fail("it was written");
  const browser = browse({ fake: { patched } });
  const token = await browser.tokenAt(page);
  const incomplete: readonly Readonly<Record<string, string>>[] = [
    { token },
    { token, digest: "x", when: "now" },
    { token, digest: plan, when: "later" },
  ];
  for (const fields of incomplete) assert.equal((await browser.post(approve, fields)).status, 400);
});

test("a form that is too large is not read", async () => {
  const browser = browse();
  const token = await browser.tokenAt("/databases/shop/orders/edit");
  const { status } = await browser.post("/databases/shop/orders/edit", { token, spec: "a".repeat(300_000) });
  assert.equal(status, 413);
});

test("a page that is the same is not sent again, and one that is another is", async () => {
  const browser = browse();
  const { headers, text } = await browser.get("/databases/shop/orders");
  const version = headers.get("etag") ?? "";
  assert.ok(text.includes(`data-version=${version}`));
  const again = await browser.get("/databases/shop/orders", { "if-none-match": version });
  assert.deepEqual([again.status, again.text], [304, ""]);
  assert.equal((await browser.get("/databases/shop/billing", { "if-none-match": version })).status, 200);
});

test("who is not known is told so, and nothing is asked in any name", async () => {
  const admit = (): Promise<never> => Promise.resolve({ kind: "unknown", sentences: ["come back"] } as never);
  const browser = browse({ admit, fake: { patched: () => assert.fail("it was written") } });
  for (const path of paths.slice(0, 6)) assert.equal((await browser.get(path)).status, 401, path);
  assert.equal((await browser.post(approve, form)).status, 401);
  assert.equal((await browser.get("/changes")).status, 401);
});

const unasked = [
  ...["/api/v1/secrets", "/api/v1/namespaces/shop/secrets/a", "/api/v1/namespaces/shop/configmaps"],
  ...[
    "/api/v1/namespaces/shop/pods/a/log",
    "/api/v1/namespaces/shop/pods/a/exec",
    "/apis/example.com/v1/namespaces/shop/databases/a/status",
  ],
  ...["/api/v1/namespaces/x/../secrets", "/metrics", "/", ""],
];
test("of the API server nothing else is asked than the kinds that pages show", async () => {
  const none = (): never => assert.fail("it was asked");
  const inner = { namespace: "shop", context: "work", get: none, create: none, patch: none, watch: none };
  const cluster = guarded(inner);
  for (const path of unasked) {
    await assert.rejects(cluster.get(path), /does not ask for/, path);
    await assert.rejects(cluster.patch(path, {}), /does not ask for/, path);
    await assert.rejects(cluster.create(path, {}), /does not ask for/, path);
    await assert.rejects(cluster.watch(path, {}, new AbortController().signal).next(), /does not ask for/, path);
  }
});
