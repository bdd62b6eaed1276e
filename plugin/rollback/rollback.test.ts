import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { everything, orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended, type Given } from "../../test/fakes/plugin/world";
import { keeperOf } from "./keeper";

const now = z.looseObject({}).parse(orders["spec"]);
const report = {
  ...{
    outcome: "Planned",
    operation: "Update",
    summary: "2 to update",
    effect: "RollingRestart",
    digest: "aa11bb22cc33dd44",
  },
  consequences: [{ effect: "RollingRestart", members: ["orders-0"], message: "all members restart" }],
};

interface Asked extends Ended {
  /** What kubectl was called with, without the patch. */
  readonly calls: readonly (readonly string[])[];
  /** The patches. */
  readonly patches: readonly unknown[];
}

interface Some extends Pick<Given, "answer"> {
  readonly metadata?: object;
  readonly spec?: object;
  /** How kubectl ends when it writes. */
  readonly fails?: string;
  /** How often it ends so; default: each time. */
  readonly times?: number;
  /** What the Database becomes when it does. */
  readonly becomes?: { readonly metadata?: object; readonly spec?: object };
  readonly preview?: (() => unknown) | undefined;
}

async function plugin(line: string, { metadata = {}, spec = {}, fails, answer, ...some }: Some = {}): Promise<Asked> {
  const { times = Infinity, becomes = {} } = some;
  let failures = 0;
  const database: Stored = { ...orders, metadata: { ...orders.metadata, ...metadata }, spec: { ...now, ...spec } };
  const objects = everything.map((one) => (one === orders ? database : one));
  const calls: (readonly string[])[] = [];
  const preview = "preview" in some ? some.preview : (): unknown => report;
  const ended = await runPlugin(line, {
    cluster: fakeCluster({ objects, ...(preview !== undefined && { preview }) }),
    ...(answer !== undefined && { answer }),
    kubectl: (args) => {
      calls.push(args);
      const isFailure = fails !== undefined && failures < times && !args.includes("--dry-run=server");
      if (isFailure) {
        failures++;
        objects[objects.findIndex(({ metadata: { uid } }) => uid === database.metadata["uid"])] = {
          ...{ ...database, metadata: { ...database.metadata, ...becomes.metadata } },
          spec: { ...now, ...becomes.spec },
        };
      }
      return isFailure
        ? { code: 1, stdout: "", stderr: fails }
        : { code: 0, stdout: JSON.stringify(database), stderr: "" };
    },
  });
  const patches = calls.map((args): unknown => JSON.parse(args.at(-1) ?? ""));
  return { ...ended, calls: calls.map((args) => args.slice(0, -1)), patches };
}

const patch = { metadata: { resourceVersion: "900" }, spec: { config: { max_connections: "100" } } };

test("without a number it goes to the newest revision with another spec, previews, asks, and writes the difference alone", async () => {
  const { out, err, code, calls, patches } = await plugin("rollback orders", { answer: "y" });
  assert.match(
    out,
    /^Back to revision 40, of 2026-11-22 02:03 UTC\nshop\/orders {3}changed\nEffect {2}RESTARTS: all members restart\n/,
  );
  assert.match(out, /\nwritten: shop\/orders asks for the spec of revision 40\n/);
  assert.match(err, /^Write it\? \[y\/N\] $/);
  assert.equal(code, 0);
  const common = [
    "patch",
    "databases.example.com",
    "orders",
    "-n",
    "shop",
    "--type=merge",
    "--field-manager=kubectl-database-operator",
  ];
  assert.deepEqual(calls, [
    [...common, "--dry-run=server", "-o", "json", "-p"],
    [...common, "-o", "json", "-p"],
  ]);
  assert.deepEqual(patches, [patch, patch]);
});

const unwritten: readonly (readonly [what: string, line: string, some: Some, said: RegExp, code: number])[] = [
  ["a dry run", "rollback orders --dry-run", { answer: "y" }, /Back to revision 40/, 1],
  ["a no", "rollback orders", { answer: "n" }, /not written\n/, 1],
  ["no one to ask", "rollback orders", {}, /there is no terminal to ask at; --yes writes it/, 1],
  [
    "an older version",
    "rollback orders --to-revision=39",
    { answer: "y" },
    /revision 39 ran version 17\.11, and 17\.12 is asked for now\n.*--keep-version/,
    2,
  ],
  [
    "the spec of now",
    "rollback orders --to-revision=41",
    { answer: "y" },
    /nothing to change: the spec of revision 41 is that of now/,
    0,
  ],
  ["a number that there is not", "rollback orders --to-revision=3", {}, /there are 39 to 41/, 2],
  [
    "a Database of Argo CD",
    "rollback orders",
    { answer: "y", metadata: { annotations: { "argocd.argoproj.io/tracking-id": "shop:x" } } },
    /spec:\n {2}config:\n {4}max_connections: "100"\n[^]*not written: Argo CD \(shop:x\) has this Database, .* in Git\n {2}--force/,
    1,
  ],
];
for (const [what, line, some, said, expected] of unwritten) {
  test(`nothing is written after ${what}`, async () => {
    const { out, err, code, calls } = await plugin(line, some);
    assert.match(out + err, said);
    assert.equal(code, expected);
    assert.ok(calls.every((args) => args.includes("--dry-run=server")));
  });
}

test("--force writes what a tool would write over, and --yes without a question", async () => {
  const metadata = { labels: { "kustomize.toolkit.fluxcd.io/name": "apps" } };
  const { code, err, calls } = await plugin("rollback orders --force --yes", { metadata });
  assert.deepEqual([code, err, calls.length], [0, "", 2]);
});

test("with --keep-version it goes back with everything else, and says what stays", async () => {
  const { out, code, patches } = await plugin("rollback orders --to-revision=39 --keep-version --yes");
  assert.match(out, /! spec\.version stays as it is: /);
  assert.deepEqual([code, patches[1]], [0, patch]);
});

test("where no preview is served, the question says so", async () => {
  const { out, err } = await plugin("rollback orders", { answer: "n", preview: undefined });
  assert.match(out, /not previewed/);
  assert.match(err, /What it does could not be told\./);
});

const fails =
  "Error from server (Conflict): the object has been modified; please apply your changes to the latest version";

test("what moved since the preview is not written over", async () => {
  for (const becomes of [{ spec: { replicas: 5 } }, { metadata: { uid: "another" } }]) {
    const { code, err, calls } = await plugin("rollback orders --yes", { fails, becomes });
    assert.match(err, /has been modified.*\n {2}it was changed since it was previewed/);
    assert.deepEqual([code, calls.length], [2, 2]);
  }
});

test("a status that the operator has written since the preview does not keep it from being written", async () => {
  const becomes = { metadata: { resourceVersion: "901" } };
  const { code, patches } = await plugin("rollback orders --yes", { fails, becomes, times: 1 });
  assert.equal(code, 0);
  assert.deepEqual(patches.slice(1), [patch, { ...patch, metadata: { resourceVersion: "901" } }]);
  const never = await plugin("rollback orders --yes", { fails, becomes });
  assert.deepEqual([never.code, never.calls.length], [2, 11]);
});

const keepers: readonly (readonly [metadata: object, title: string | undefined])[] = [
  [{}, undefined],
  [{ managedFields: [{ manager: "kubectl-edit" }] }, undefined],
  [{ managedFields: [{ manager: "argocd-controller" }] }, "Argo CD"],
  [{ labels: { "argocd.argoproj.io/instance": "shop" } }, "Argo CD (shop)"],
  [{ managedFields: [{ manager: "kustomize-controller" }] }, "Flux"],
  [{ annotations: { "meta.helm.sh/release-name": "web" } }, "Helm (web)"],
  [{ ownerReferences: [{ kind: "SampleDB", name: "web", controller: true }] }, "SampleDB web"],
];
for (const [metadata, title] of keepers) {
  test(`with ${JSON.stringify(metadata)} a Database is had by ${title ?? "no tool"}`, () => {
    assert.equal(keeperOf({ metadata })?.title, title);
  });
}
