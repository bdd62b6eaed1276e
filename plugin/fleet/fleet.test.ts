import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import type { PreviewReport } from "../../operator/preview/report";
import { waitsText } from "../../operator/preview/waits";
import { fakeCluster, withSpec, type Stored } from "../../test/fakes/plugin/cluster";
import { cart, everything, ledger, orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended, type Given } from "../../test/fakes/plugin/world";
import { ApiFailure } from "../command/world";

const Body = z.object({
  spec: z.object({
    database: z.object({ metadata: z.object({ name: z.string() }) }),
    assume: z.unknown().optional(),
  }),
});
type Told = z.infer<typeof Body>["spec"];

const restarts: PreviewReport = {
  ...{ outcome: "Planned", effect: "RollingRestart" },
  consequences: [{ effect: "RollingRestart", members: ["x-1", "x-0"], message: "all members restart" }],
};
const reports: Readonly<Record<string, PreviewReport>> = {
  orders: restarts,
  cart: { ...restarts, waits: waitsText(["approval (RollingRestart)"]) },
  ledger: { outcome: "Unchanged", effect: "None", consequences: [] },
};

/** An operator that previews, and what it was asked. */
function served(some: Partial<Given> = {}, objects: readonly Stored[] = everything): readonly [Given, Told[]] {
  const asked: Told[] = [];
  const preview = (body: unknown): PreviewReport => {
    const { spec } = Body.parse(body);
    asked.push(spec);
    return reports[spec.database.metadata.name] ?? restarts;
  };
  return [{ cluster: fakeCluster({ objects, preview }), ...some }, asked];
}

const fleet = (line: string, given: Given): Promise<Ended> => runPlugin(`fleet ${line}`.trim(), given);

test("all Databases are in one table, those that it hurts first, with totals and what waits for whom", async () => {
  const [given] = served({}, [...everything, { ...orders, metadata: { ...orders.metadata, name: "mail" } }]);
  const { code, out } = await fleet("-A", given);
  assert.equal(
    out,
    `NAMESPACE   NAME     EFFECT           MEMBERS   WAITS FOR                   WHY
shop        mail     RollingRestart   2         –                           all members restart
shop        orders   RollingRestart   2         –                           all members restart
shop        cart     RollingRestart   2         approval (RollingRestart)   all members restart
bank        ledger   None             –         –

4 Databases: 2 interrupted, 1 wait, 1 notice nothing
One of those that are interrupted goes first, if there is one with several members; once it is through, some at a time (restartsAtOnce), and none while one does not come back.
`,
  );
  assert.equal(code, 1);
});

test("a catalogue is assumed of all of them", async () => {
  const catalogue = { postgresql: { "17.12": { image: "next" } } };
  const [given, asked] = served({ files: { "c.json": JSON.stringify(catalogue) } });
  await fleet("-A --catalogue c.json", given);
  assert.deepEqual(
    asked.map(({ assume }) => assume),
    [{ catalogue }, { catalogue }, { catalogue }],
  );
});

const tuning = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tuning" }, data: { work_mem: "8MB" } };
const applied = (object: object): Given["kubectl"] => {
  const stdout = JSON.stringify(object);
  return () => ({ code: 0, stdout, stderr: "" });
};

test("a ConfigMap concerns those that name it, as the API server would store it", async () => {
  const sharing = withSpec(cart, { configFrom: { name: "tuning" } });
  const stored = { ...tuning, metadata: { name: "tuning", namespace: "shop" }, data: { work_mem: "16MB" } };
  const files = { "t.yaml": JSON.stringify(tuning) };
  const [given, asked] = served({ files, kubectl: applied(stored) }, [orders, sharing, ledger]);
  const { out } = await fleet("-A -f t.yaml", given);
  assert.deepEqual(
    asked.map(({ database, assume }) => [database.metadata.name, assume]),
    [["cart", { configMaps: { tuning: { work_mem: "16MB" } } }]],
  );
  assert.match(out, /^1 Database: 0 interrupted, 1 wait, 0 notice nothing$/m);
});

test("the catalogue's ConfigMap is the catalogue", async () => {
  const catalogue = { mysql: { "9.7": { image: "next" } } };
  const map = {
    ...tuning,
    metadata: { name: "database-operator-catalogue", namespace: "database-operator-system" },
    data: { "catalogue.json": JSON.stringify(catalogue) },
  };
  const [given, asked] = served({ files: { "m.yaml": JSON.stringify(map) }, kubectl: applied(map) });
  await fleet("-A -f m.yaml", given);
  assert.deepEqual(asked[0]?.assume, { catalogue });
});

test("Databases of files are previewed as they would be, and nothing else, by no budget", async () => {
  const [given, asked] = served({ files: { "o.yaml": JSON.stringify(orders) }, kubectl: applied(orders) });
  const { out } = await fleet("-f o.yaml", given);
  assert.deepEqual(
    asked.map(({ database }) => database.metadata.name),
    ["orders"],
  );
  assert.doesNotMatch(out, /goes first/);
});

test("what a person may not preview is told, and it is not concluded that it is harmless", async () => {
  const preview = (): never => {
    throw new ApiFailure(403, "Forbidden", "you may not write databases.example.com orders in namespace shop");
  };
  const { code, out } = await fleet("-n shop", { cluster: fakeCluster({ objects: [orders], preview }) });
  assert.match(out, /NOT TOLD .* you may not write/);
  assert.match(out, /^1 Database: 1 cannot be told, or would be refused/m);
  assert.equal(code, 2);
});

test("where previews are not served that is said once", async () => {
  const { code, out, err } = await fleet("-A", { cluster: fakeCluster({ objects: everything }) });
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /previewApi is off/);
});

test("files with anything else, and a catalogue that is no JSON, are refused", async () => {
  const files = { "p.yaml": "kind: Pod\nmetadata: {name: x}\n", "c.json": "postgresql:" };
  const [given] = served({ files });
  assert.match((await fleet("-f p.yaml", given)).err, /Pod x: a fleet preview is of Databases and ConfigMaps/);
  assert.match((await fleet("--catalogue c.json", given)).err, /the catalogue is no JSON/);
});

test("for programs it is a list of previews", async () => {
  const [given] = served();
  const List = z.object({ items: z.array(z.object({ kind: z.literal("DatabasePreview") })) });
  assert.equal(List.parse(JSON.parse((await fleet("-A -o json", given)).out)).items.length, 3);
});
