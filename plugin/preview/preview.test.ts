import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { stringify } from "yaml";
import { reportOf, type PreviewReport } from "../../operator/preview/report";
import type { Plan } from "../../operator/preview/plan";
import { fakeCluster } from "../../test/fakes/plugin/cluster";
import { everything, orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended, type Given } from "../../test/fakes/plugin/world";
import { ApiFailure, type KubectlEnd } from "../command/world";
import { reportIn } from "./report";

const text = stringify({ ...orders, status: undefined });

const report: PreviewReport = {
  ...{
    outcome: "Planned",
    operation: "Update",
    summary: "2 to update, 20 unchanged",
    digest: "7f3c9a51d0e2".padEnd(64, "0"),
  },
  spec: [
    { path: "spec.config.max_connections", before: "100", after: "150" },
    { path: "spec.backup.schedule", after: "0 3 * * *" },
    { path: "spec.configFrom", before: { name: "tuning" } },
  ],
  notes: ["the operator has something to do already"],
  drift: ["Service orders-ro was edited by kubectl-edit: spec.selector"],
  objects: [
    { kind: "StatefulSet", name: "orders", operation: "Update", fields: [{ path: "spec.x", before: 1, after: 2 }] },
    { kind: "PersistentVolumeClaim", name: "data-orders-9", operation: "Delete", retained: true, fields: [] },
  ],
  effect: "Switchover",
  consequences: [
    { effect: "None", members: [], message: "backups use the new settings from the next one on" },
    {
      effect: "RollingRestart",
      members: ["orders-2", "orders-1", "orders-0"],
      message: "all members restart: orders-2, orders-1, then the primary orders-0",
    },
    { effect: "Switchover", members: ["orders-0"], message: "another member takes over" },
    { effect: "Downtime", members: [], message: "nothing serves", aboutSeconds: 40, waitsFor: "a node" },
  ],
};

const dryRun =
  (warnings = ""): ((args: readonly string[]) => KubectlEnd) =>
  () => ({
    ...{ code: 0, stdout: JSON.stringify(orders), stderr: warnings },
  });

const asked: unknown[] = [];
const served = (status: unknown): Given => ({
  cluster: fakeCluster({ objects: everything, preview: (body) => (asked.push(body), status) }),
  files: { "orders.yaml": text },
  kubectl: dryRun(),
});
const preview = (given: Given, line = "preview -f orders.yaml"): Promise<Ended> => runPlugin(line, given);

test("the weightiest effect is told first, and what clients do not notice last", async () => {
  const { code, out } = await preview(served(report));
  assert.equal(
    out,
    `shop/orders   changed
  spec.config.max_connections  "100" → "150"
  spec.backup.schedule         + "0 3 * * *"
  spec.configFrom              - {"name":"tuning"}
  ! the operator has something to do already
  ! Service orders-ro was edited by kubectl-edit: spec.selector
Effect  DOWNTIME: nothing serves (about 40 s); not for now: a node
        SWITCHOVER: another member takes over
        RESTARTS: all members restart: orders-2, orders-1, then the primary orders-0
        backups use the new settings from the next one on
Plan    7f3c9a51d0e2   2 to update, 20 unchanged   (--objects for fields)
`,
  );
  assert.equal(code, 1);
});

test("that it would wait by the policy is told with what to do then", async () => {
  const waits = "by the change policy it waits for approval (RollingRestart)";
  const { out } = await preview(served({ ...report, notes: [waits], waits }));
  assert.match(
    out,
    /\nPolicy {2}by the change policy it waits for approval \(RollingRestart\)\n {8}once it is applied: kubectl database-operator approve orders -n shop\nPlan/,
  );
  assert.doesNotMatch(out, /! by the change policy/);
});

test("objects are told where they are asked for", async () => {
  const { out } = await preview(served(report), "preview -f orders.yaml --objects");
  assert.match(
    out,
    / {4}~ StatefulSet orders\n {8}spec\.x {2}1 → 2\n {4}- PersistentVolumeClaim data-orders-9, kept in the cluster\n/,
  );
  assert.doesNotMatch(out, /--objects/);
});

const ends: Readonly<Record<string, readonly [status: Partial<PreviewReport>, code: number, said: RegExp]>> = {
  "nothing would change": [
    { outcome: "Unchanged", operation: "Update" },
    0,
    /^shop\/orders {3}nothing would change\n$/,
  ],
  "it is refused": [
    { outcome: "Refused", message: "no such version" },
    2,
    /refused by the API server\n {2}no such version\n/,
  ],
  "it would stall": [
    { outcome: "Stalled", reason: "SpecInvalid", message: "bad" },
    2,
    /stalled, SpecInvalid\n {2}bad\n/,
  ],
  "it cannot be told": [
    { outcome: "Failed", message: "Pulumi failed" },
    2,
    /cannot be determined\n {2}Pulumi failed\n/,
  ],
  "clients notice nothing": [
    { outcome: "Planned", operation: "Create", consequences: [] },
    1,
    /new\nEffect {2}clients notice nothing\n/,
  ],
  "it waits for the end of a pause": [{ ...report, paused: true }, 1, /\n {8}it waits until spec\.paused is false\n/],
};
for (const [what, [status, code, said]] of Object.entries(ends)) {
  test(`${what}: exit code ${code}`, async () => {
    const end = await preview(served(status));
    assert.match(end.out, said);
    assert.equal(end.code, code);
  });
}

test("an effect that a newer operator knows is one that cannot be told, not none", async () => {
  const consequences = [{ effect: "Earthquake", message: "it shakes" }];
  assert.match((await preview(served({ outcome: "Planned", consequences }))).out, /CANNOT BE TOLD: it shakes/);
});

test("an answer that is not understood is an error", async () => {
  const { code, err } = await preview(served({ outcome: "Perhaps" }));
  assert.match(err, /use the plugin of its version/);
  assert.equal(code, 2);
});

test("what the operator reports is read without a loss", () => {
  const plan: Plan = {
    ...{
      kind: "plan",
      database: "shop/orders",
      intent: "change",
      notes: [],
      drift: ["d"],
      putBack: new Set(),
      harmful: [],
    },
    asked: [{ path: "spec.replicas", kind: "change", before: 3, after: 4 }],
    steps: [
      { kind: "StatefulSet", name: "orders", operation: "update", retained: false, fields: [] },
      { kind: "PersistentVolumeClaim", name: "data-orders-3", operation: "delete", retained: true, fields: [] },
    ],
    consequences: [{ effect: "Downtime", members: ["orders-0"], message: "m", aboutSeconds: 3, waitsFor: "a node" }],
    ...{ memberNames: ["orders-0"], primary: undefined, digest: "d1", isHeld: true },
  };
  const told: unknown = JSON.parse(JSON.stringify(reportOf(plan)));
  assert.deepEqual(reportIn({ status: told }), told);
});

test("the whole Database is sent, as kubectl would store it, and what it is asked with is the person's own", async () => {
  const seen: (readonly string[])[] = [];
  const given = {
    ...served(report),
    kubectl: (args: readonly string[]): KubectlEnd => (seen.push(args), dryRun()(args)),
  };
  asked.length = 0;
  await preview(given, "preview -f orders.yaml -n shop --server-side --context work --as jane --as-group dev");
  assert.deepEqual(seen, [
    [
      ...["apply", "--dry-run=server", "--server-side", "-n", "shop", "--context=work", "--as=jane", "--as-group=dev"],
      ...["-o", "json", "-f", "-"],
    ],
  ]);
  const Body = z.object({ spec: z.object({ operation: z.string(), database: z.unknown() }) });
  const [body] = asked.map((one) => Body.parse(one).spec);
  assert.deepEqual(body?.operation, "Apply");
  assert.equal(JSON.stringify(body.database), JSON.stringify(orders));
});

test("a deletion needs no dry run, and one of nothing is none", async () => {
  asked.length = 0;
  const given = {
    ...served({ outcome: "Planned", operation: "Delete" }),
    kubectl: (): never => assert.fail("it was run"),
  };
  const { code, out } = await preview(given, "preview -f orders.yaml --delete");
  assert.match(out, /^shop\/orders {3}deleted\n/);
  assert.equal(code, 1);
  assert.match(JSON.stringify(asked), /"operation":"Delete"/);
  const other = { ...given, files: { "orders.yaml": text.replaceAll("orders", "none") } };
  const end = await preview(other, "preview -f orders.yaml --delete");
  assert.equal(end.out, "shop/none does not exist: nothing to delete\n");
  assert.equal(end.code, 0);
});

const unserved: Given = { cluster: fakeCluster({ objects: everything }), files: { "orders.yaml": text } };

test("where previews are not served, the warnings of the dry run are told, and that they prove nothing", async () => {
  const warnings = "Warning: all members restart\nsomething else\nWarning: another member takes over\n";
  const { code, out } = await preview({ ...unserved, kubectl: dryRun(warnings) });
  assert.match(out, /^shop\/orders {3}not previewed\n {2}.*setting previewApi is off\n/);
  assert.match(out, /\n {4}- all members restart\n {4}- another member takes over\n/);
  assert.doesNotMatch(out, /something else/);
  assert.equal(code, 2);
  const silent = await preview({ ...unserved, kubectl: dryRun() });
  assert.match(silent.out, /the dry run gave no warnings, which proves nothing/);
  assert.equal(silent.code, 2);
});

test("the dry run is made in the cluster that is asked for the preview, whatever a kubeconfig says meanwhile", async () => {
  const seen: (readonly string[])[] = [];
  const kubectl = (args: readonly string[]): KubectlEnd => (seen.push(args), dryRun()(args));
  await preview({ ...served(report), kubectl });
  assert.ok(seen[0]?.includes("--context=work"), String(seen[0]));
});

test("where previews are off no one has the right to ask for them, and that is no refusal of the change", async () => {
  const message =
    'databasepreviews.preview.example.com is forbidden: User "jane" cannot create resource "databasepreviews"' +
    ' in API group "preview.example.com" in the namespace "shop"';
  const create = (): Promise<never> => Promise.reject(new ApiFailure(403, "Forbidden", message));
  const cluster = { ...fakeCluster({ objects: everything }), create };
  const { code, out } = await preview({ ...unserved, cluster, kubectl: dryRun("Warning: all members restart\n") });
  assert.match(out, /^shop\/orders {3}not previewed\n {2}.*setting previewApi is off, or/);
  assert.match(out, /\n {4}- all members restart\n/);
  assert.equal(code, 2);
  const own = "you may not update databases.example.com orders in namespace shop";
  const refused = { ...cluster, create: () => Promise.reject(new ApiFailure(403, "Forbidden", own)) };
  assert.match((await preview({ ...unserved, cluster: refused, kubectl: dryRun() })).out, /refused\n {2}you may not/);
});

test("no text of a file makes a terminal do anything", async () => {
  const kind = 'kind: "\\e]0;title\\aThing\\u202e"\nmetadata: {name: "\\x9b2Jx"}\n';
  const files = { "orders.yaml": `${kind}---\na: "\x1b[2J\n` };
  for (const line of [
    "preview -f orders.yaml",
    "preview -f orders.yaml --color=always",
    "preview -f orders.yaml -o yaml",
  ]) {
    const { out } = await preview({ ...served(report), files }, line);
    // eslint-disable-next-line no-control-regex -- colors are left out
    const painted = out.replace(/\x1b\[(0|1|2|31|32|33)m/g, "");
    // eslint-disable-next-line no-control-regex -- these are what is looked for
    assert.doesNotMatch(painted, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    assert.match(painted, /\]0;title.*Thing/);
  }
  const { err } = await preview({ files: {} }, ["preview", "-f", "\x1b[2J.yaml"].join(" "));
  assert.equal(err, "error: there is no object in [2J.yaml\n");
});

test("what the API server refuses is told in its words", async () => {
  const stderr = 'Error from server (Forbidden): \x1b[2Jdatabases.example.com "orders" is forbidden\n';
  const { code, out } = await preview({ ...unserved, kubectl: () => ({ code: 1, stdout: "", stderr }) });
  assert.match(out, /^orders {3}refused\n {2}Error from server \(Forbidden\): \[2J/);
  assert.equal(code, 2);
});

test("a file may hold several objects, of which only Databases are previewed", async () => {
  const service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";
  const files = { "orders.yaml": `${text}---\n${service}---\n${text}---\na: [\n` };
  const { code, out } = await preview({ ...served(report), files });
  assert.equal(out.match(/^shop\/orders {3}changed$/gm)?.length, 2);
  assert.match(out, /\n\nService web: not a Database, skipped\n\n/);
  assert.match(out, /\n\n\? {3}refused\n/);
  assert.equal(code, 2);
  const empty = await preview({ ...served(report), files: { "orders.yaml": "---\n" } });
  assert.match(empty.err, /there is no object in orders\.yaml/);
});

const unlooked: Readonly<Record<string, string>> = {
  "a file without a Database": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
  "a Database of a mistyped group": `${text}---\napiVersion: exmaple.com/v1\nkind: Database\nmetadata: {name: orders}\n`,
  "what becomes a Database": `${text}---\napiVersion: postgres.example.com/v1\nkind: PostgreSQLCluster\nmetadata: {name: a}\n`,
};
for (const [what, file] of Object.entries(unlooked)) {
  test(`nothing is concluded from ${what}`, async () => {
    const status = { outcome: "Unchanged", operation: "Update" };
    const { code, out } = await preview({ ...served(status), files: { "orders.yaml": file } });
    assert.match(out, /skipped\n/);
    assert.equal(code, 2);
  });
}

test("a deletion is of the namespace that the file names, and of no other", async () => {
  const { code, out } = await preview(served(report), "preview -f orders.yaml --delete -n bank");
  assert.match(out, /^orders {3}refused\n {2}it is of namespace shop, and -n is bank\n$/);
  assert.equal(code, 2);
});

test("programs get a list of previews, as the operator answers", async () => {
  const { code, out } = await preview(served(report), "preview -f orders.yaml -o json");
  const List = z.object({ items: z.array(z.looseObject({ kind: z.string(), status: z.unknown() })) });
  const [item] = List.parse(JSON.parse(out)).items;
  assert.equal(item?.kind, "DatabasePreview");
  assert.deepEqual(item.status, JSON.parse(JSON.stringify(report)));
  assert.equal(code, 1);
});
